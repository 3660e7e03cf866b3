// The tree of a page, built by libgumbo as a browser builds it: which end tags are meant, what
// belongs to what. However hostile the page, it takes bounded memory and time. Knows nothing about
// what elements mean.
#pragma once

#include <gumbo.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright::tools {

class HtmlTree {
 public:
  using Clock = std::chrono::steady_clock;

  // Fails for a page that needs more bytes of memory, or more time.
  static Result<HtmlTree> parse(std::string_view html, std::size_t memory_limit,
                                Clock::time_point deadline);

  HtmlTree(HtmlTree&&) noexcept;
  HtmlTree& operator=(HtmlTree&&) noexcept;
  ~HtmlTree();

  // The element <html>. It may be deeper than a stack: walk it without recursion.
  const GumboNode& root() const;

 private:
  struct Memory;
  HtmlTree(std::unique_ptr<Memory> memory, const GumboOutput* output);

  std::unique_ptr<Memory> memory_;
  const GumboOutput* output_;  // lies in the memory
};

// Nothing for a text.
const GumboElement* element_of(const GumboNode& node);
inline auto children_of(const GumboNode& node) {
  const GumboElement* element = element_of(node);
  const std::span<void* const> children =
      element == nullptr ? std::span<void* const>()
                         : std::span<void* const>(element->children.data, element->children.length);
  return children |
         std::views::transform([](void* child) { return static_cast<const GumboNode*>(child); });
}

// "div", of whatever namespace.
std::string tag_name(const GumboElement& element);

// Valid UTF-8, entities decoded. The text of a node is empty when it is an element or a comment.
std::optional<std::string> html_attribute(const GumboElement& element, const char* name);
std::string text_of(const GumboNode& node);

}  // namespace wright::tools
