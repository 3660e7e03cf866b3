// Cuts HTML into tags and text, one after the other, in linear time and without ever failing. Knows
// how tags are written, and nothing about what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wright::tools {

struct HtmlToken {
  enum class Kind : std::uint8_t {
    text,      // with entities
    raw_text,  // what stands in an element such as script, in which there are no tags
    start_tag,
    end_tag,
    end,
  };
  Kind kind = Kind::end;
  std::string_view text = {};  // the text, or the attributes of a tag
  std::string name = {};       // of a tag, or of the element around raw text; lower case
};

// The first attribute of that (lower case) name, entities decoded.
std::optional<std::string> html_attribute(const HtmlToken& tag, std::string_view name);

class HtmlTokens {
 public:
  // Refers to `html`.
  explicit HtmlTokens(std::string_view html) : rest_(html) {}

  // Kind::end again and again after the last one.
  HtmlToken next();

 private:
  HtmlToken tag();
  void skip_comment();

  std::string_view rest_;
  std::string raw_element_;  // whose content comes next
};

}  // namespace wright::tools
