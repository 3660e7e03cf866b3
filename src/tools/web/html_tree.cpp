#include "tools/web/html_tree.h"

#include <fmt/format.h>

#include <csetjmp>
#include <cstdlib>
#include <memory_resource>
#include <new>

#include "core/text.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

constexpr std::size_t kHeader = alignof(std::max_align_t);
constexpr unsigned kLooksAtClock = 32;  // allocations between two looks

// gumbo would show characters that are for nobody as U+FFFD.
std::string without_control_characters(std::string_view html) {
  std::string made(html);
  std::erase_if(made, [](char c) {
    const bool is_blank = c == '\t' || c == '\n' || c == '\r' || c == '\f';
    return (static_cast<unsigned char>(c) < 0x20 && !is_blank) || c == 0x7F;
  });
  return made;
}

std::string as_valid_text(std::string_view text) {
  return is_valid_utf8(text) ? std::string(text) : to_valid_utf8(std::string(text));
}

}  // namespace

// Everything that a tree is made of. gumbo itself has no limits, and takes a tree apart by
// recursion, which a deep one would overflow the stack with. So it gets its memory from here, and
// it all goes at once.
struct HtmlTree::Memory {
  Memory(std::string_view page, std::size_t most, Clock::time_point end)
      : html(without_control_characters(page)), left(most), deadline(end) {}

  static void* allocate(void* memory, std::size_t size) {
    return static_cast<Memory*>(memory)->take(size);
  }
  static void give_back(void* memory, void* block) {
    if (block != nullptr) static_cast<Memory*>(memory)->put(block);
  }

  // Jumps out of gumbo, which cannot fail, where there is no more. Nothing with a destructor may
  // live between here and parse_within().
  void* take(std::size_t size) {
    // Whole units: libstdc++'s pool keeps blocks of 24 bytes, which are not aligned for everything.
    const std::size_t whole = (size + 2 * kHeader - 1) / kHeader * kHeader;
    const bool is_late = ++allocations % kLooksAtClock == 0 && Clock::now() > deadline;
    void* block = whole <= left && !is_late ? allocated(whole) : nullptr;
    if (block == nullptr) std::longjmp(is_over, 1);
    left -= whole;
    *static_cast<std::size_t*>(block) = whole;
    return static_cast<std::byte*>(block) + kHeader;
  }

  void* allocated(std::size_t whole) noexcept {
    try {
      return pool.allocate(whole);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  void put(void* block) {
    void* begin = static_cast<std::byte*>(block) - kHeader;
    const std::size_t whole = *static_cast<std::size_t*>(begin);
    left += whole;
    pool.deallocate(begin, whole);
  }

  // In a function of its own, so that no variable changes between setting the jump and taking it.
  const GumboOutput* parse_within(const GumboOptions& options) {
    if (setjmp(is_over) != 0) return nullptr;
    return gumbo_parse_with_options(&options, html.data(), html.size());
  }

  const std::string html;  // the tree refers to it; gumbo reads the NUL behind its end, too
  std::size_t left;
  Clock::time_point deadline;
  unsigned allocations = 0;
  std::jmp_buf is_over = {};
  std::pmr::unsynchronized_pool_resource pool;
};

HtmlTree::HtmlTree(std::unique_ptr<Memory> memory, const GumboOutput* output)
    : memory_(std::move(memory)), output_(output) {}
HtmlTree::HtmlTree(HtmlTree&&) noexcept = default;
HtmlTree& HtmlTree::operator=(HtmlTree&&) noexcept = default;
HtmlTree::~HtmlTree() = default;

Result<HtmlTree> HtmlTree::parse(std::string_view html, std::size_t memory_limit,
                                 Clock::time_point deadline) {
  auto memory = std::make_unique<Memory>(html, memory_limit, deadline);
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = Memory::allocate;
  options.deallocator = Memory::give_back;
  options.userdata = memory.get();
  options.max_errors = 0;  // each would keep a copy of all open elements
  const GumboOutput* output = memory->parse_within(options);
  if (output == nullptr) {
    return fail(ErrorCode::limit_reached,
                "the page is built so that reading it takes too much time or memory");
  }
  return HtmlTree(std::move(memory), output);
}

const GumboNode& HtmlTree::root() const {
  return *output_->root;
}

const GumboElement* element_of(const GumboNode& node) {
  const bool is_element = node.type == GUMBO_NODE_ELEMENT || node.type == GUMBO_NODE_TEMPLATE;
  return is_element ? &node.v.element : nullptr;
}

std::string tag_name(const GumboElement& element) {
  if (element.tag != GUMBO_TAG_UNKNOWN) return gumbo_normalized_tagname(element.tag);
  GumboStringPiece piece = element.original_tag;
  gumbo_tag_from_original_text(&piece);
  return piece.data == nullptr ? std::string() : lower({piece.data, piece.length});
}

std::optional<std::string> html_attribute(const GumboElement& element, const char* name) {
  const GumboAttribute* found = gumbo_get_attribute(&element.attributes, name);
  if (found == nullptr) return std::nullopt;
  return as_valid_text(found->value);
}

std::string text_of(const GumboNode& node) {
  switch (node.type) {
    case GUMBO_NODE_TEXT:
    case GUMBO_NODE_WHITESPACE:
    case GUMBO_NODE_CDATA: return as_valid_text(node.v.text.text);
    default: return {};
  }
}

}  // namespace wright::tools
