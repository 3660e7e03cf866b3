#include "providers/changing_text.h"

#include <algorithm>
#include <optional>

namespace wright::providers {
namespace {

constexpr std::size_t kLargestText = 4096;  // what comes in pieces comes in small ones
constexpr int kMostInVain = 8;              // in a row: then documents are not alike in this way

// Where a text stands in JSON, and how many stand before it. Names of members count as texts.
struct Place {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t number = 0;
};

// The text around a position of valid JSON, and how many texts there are.
struct Texts {
  std::optional<Place> around;
  std::size_t count = 0;
};

Texts texts_of(std::string_view json, std::size_t position) {
  Texts texts;
  for (std::size_t at = json.find('"'); at != std::string_view::npos; at = json.find('"', at)) {
    const std::size_t begin = at + 1;
    std::size_t end = json.find_first_of("\"\\", begin);
    while (end != std::string_view::npos && json[end] == '\\') {
      end = json.find_first_of("\"\\", end + 2);
    }
    if (end == std::string_view::npos) return {};
    if (begin <= position && position <= end) texts.around = Place{begin, end, texts.count};
    ++texts.count;
    at = end + 1;
  }
  return texts;
}

// Walks the texts of a document in the order in which they were written.
class Walk {
 public:
  explicit Walk(std::size_t wanted) : wanted_(wanted) {}

  void into(Json& value) {
    if (JsonString* text = value.if_string()) {
      if (count_ == wanted_) found_ = text;
      ++count_;
    } else if (JsonArray* items = value.if_array()) {
      for (Json& item : *items) into(item);
    } else if (JsonObject* members = value.if_object()) {
      for (auto& member : *members) {
        ++count_;  // its name
        into(member.value());
      }
    }
  }

  std::size_t count() const { return count_; }
  JsonString* found() const { return found_; }  // null where it is a name

 private:
  std::size_t wanted_;
  std::size_t count_ = 0;
  JsonString* found_ = nullptr;
};

}  // namespace

void ChangingText::learn(std::string_view text, Json& document) {
  value_ = nullptr;
  if (learnt_in_vain_ == kMostInVain) return;
  if (text.size() > kLargestText) {
    text_.clear();
    return;
  }
  ++learnt_in_vain_;
  const auto difference = std::ranges::mismatch(text, text_).in1;
  const bool is_first = text_.empty();
  const auto position = static_cast<std::size_t>(difference - text.begin());
  text_ = text;
  if (is_first) return;
  const Texts texts = texts_of(text, position);
  if (!texts.around) return;
  Walk walk(texts.around->number);
  walk.into(document);
  // A name that stands twice in an object is there once in the document: then they do not fit
  // together.
  if (walk.count() != texts.count || walk.found() == nullptr) return;
  value_ = walk.found();
  begin_ = texts.around->begin;
  end_ = texts.around->end;
}

bool ChangingText::put(std::string_view text) {
  if (value_ == nullptr || text.size() > kLargestText) return false;
  const std::string_view known = text_;
  const std::size_t behind = known.size() - end_;
  if (text.size() < begin_ + behind) return false;
  if (!text.starts_with(known.substr(0, begin_)) || !text.ends_with(known.substr(end_)))
    return false;
  const std::string_view written = text.substr(begin_, text.size() - behind - begin_);
  const auto is_plain = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
  };
  if (std::ranges::all_of(written, is_plain)) {
    value_->assign(written);
  } else if (unescape(written)) {
    value_->assign(unescaped_);
  } else {
    return false;
  }
  learnt_in_vain_ = 0;
  return true;
}

// All but \uXXXX, which the parser knows better.
bool ChangingText::unescape(std::string_view written) {
  unescaped_.clear();
  for (std::size_t at = 0; at < written.size(); ++at) {
    const char c = written[at];
    if (static_cast<unsigned char>(c) < 0x20 || c == '"') return false;
    if (c != '\\') {
      unescaped_ += c;
      continue;
    }
    if (++at == written.size()) return false;
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t which = kEscapes.find(written[at]);
    if (which == std::string_view::npos) return false;
    unescaped_ += kMeanings[which];
  }
  return true;
}

}  // namespace wright::providers
