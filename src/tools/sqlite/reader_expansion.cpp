#include "tools/sqlite/reader_expansion.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "core/text.h"

namespace wright::tools {
namespace {

struct Token {
  // SQLite takes names in any quotes, also in those of texts.
  enum class Kind : std::uint8_t { word, quoted, symbol };
  Kind kind = Kind::symbol;
  std::string text;  // in lower case and without quotes

  bool is_name() const { return kind != Kind::symbol; }
  bool is(std::string_view keyword) const { return kind != Kind::quoted && text == keyword; }
};

// Blanks and comments are left out; what is cut off in the middle ends with the text.
class Tokens {
 public:
  explicit Tokens(std::string_view sql) : rest_(sql) {
    while (!rest_.empty()) take_one();
  }
  std::vector<Token> taken() && { return std::move(tokens_); }

 private:
  static bool is_in_word(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || c == '_' || c == '$' || byte >= 0x80;
  }

  void skip_behind(std::string_view end, std::size_t from) {
    const std::size_t at = rest_.find(end, from);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + end.size());
  }

  void take_one() {
    const char c = rest_.front();
    if (rest_.starts_with("--")) return skip_behind("\n", 2);
    if (rest_.starts_with("/*")) return skip_behind("*/", 2);
    if (std::isspace(static_cast<unsigned char>(c)) != 0) return rest_.remove_prefix(1);
    if (c == '"' || c == '\'' || c == '`' || c == '[') return take_quoted(c == '[' ? ']' : c);
    std::size_t length = 1;
    const bool is_word = is_in_word(c);
    while (is_word && length < rest_.size() && is_in_word(rest_[length])) ++length;
    tokens_.push_back(
        {is_word ? Token::Kind::word : Token::Kind::symbol, lower(rest_.substr(0, length))});
    rest_.remove_prefix(length);
  }

  void take_quoted(char end) {
    std::string text;
    std::size_t at = 1;
    for (; at < rest_.size(); ++at) {
      const bool is_doubled = end != ']' && at + 1 < rest_.size() && rest_[at + 1] == end;
      if (rest_[at] == end && !is_doubled) break;
      if (rest_[at] == end) ++at;
      text += rest_[at];
    }
    tokens_.push_back({Token::Kind::quoted, lower(text)});
    rest_.remove_prefix(std::min(at + 1, rest_.size()));
  }

  std::string_view rest_;
  std::vector<Token> tokens_;
};

constexpr int kDeepest = 200;  // beyond it, counting would need a deep stack itself
constexpr ExpandedSize kFarTooDeep{std::numeric_limits<double>::infinity(), kDeepest};

// The size of something with `part` within it.
ExpandedSize with_part(const ExpandedSize& whole, const ExpandedSize& part) {
  return {whole.queries + part.queries, std::max(whole.depth, part.depth + 1)};
}

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool contains(std::size_t at) const { return begin <= at && at < end; }
  std::size_t size() const { return end - begin; }
};

// name AS ( body ), and the brackets around it, inside of which the name is known.
struct Definition {
  Range body;
  Range scope;
  ExpandedSize size = {0, 0};  // no queries: not known yet
  bool is_being_counted = false;
};

using SizeOfView = std::function<ExpandedSize(const std::string& name)>;

class StatementTokens {
 public:
  StatementTokens(std::string_view sql, SizeOfView of_view)
      : tokens_(Tokens(sql).taken()), of_view_(std::move(of_view)) {
    match_brackets();
    find_definitions();
  }

  ExpandedSize size() { return size_of({0, tokens_.size()}, 0); }

 private:
  // For each bracket its partner; for what has none, the end of the text.
  void match_brackets() {
    partner_.assign(tokens_.size(), tokens_.size());
    enclosing_.assign(tokens_.size(), {0, tokens_.size()});
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].is(")") && !open.empty()) {
        partner_[i] = open.back();
        partner_[open.back()] = i;
        open.pop_back();
      }
      if (!open.empty()) enclosing_[i].begin = open.back();
      if (tokens_[i].is("(")) open.push_back(i);
    }
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::size_t opened = enclosing_[i].begin;
      if (tokens_.size() > opened && tokens_[opened].is("(")) enclosing_[i].end = partner_[opened];
    }
  }

  void find_definitions() {
    for (std::size_t as = 1; as < tokens_.size(); ++as) {
      if (!tokens_[as].is("as")) continue;
      std::size_t body = as + 1;
      while (body < tokens_.size() && (tokens_[body].is("not") || tokens_[body].is("materialized")))
        ++body;
      if (body >= tokens_.size() || !tokens_[body].is("(")) continue;
      std::size_t name = as - 1;
      if (tokens_[name].is(")")) {  // the names of its columns
        const std::size_t columns = partner_[name];
        if (columns == 0 || columns >= name) continue;
        name = columns - 1;
      }
      if (!tokens_[name].is_name()) continue;
      definitions_[tokens_[name].text].push_back(
          {.body = {body, partner_[body]}, .scope = enclosing_[as]});
    }
  }

  bool may_be_table(std::size_t at) const {
    constexpr auto kBefore = std::to_array<std::string_view>({"from", "join", ",", "(", "in"});
    return at > 0 && tokens_[at].is_name() &&
           std::ranges::any_of(kBefore,
                               [&](std::string_view word) { return tokens_[at - 1].is(word); });
  }

  bool is_at(std::size_t at, std::string_view symbol) const {
    return at < tokens_.size() && tokens_[at].is(symbol);
  }

  ExpandedSize size_of(Range range, int level) {
    if (level >= kDeepest) return kFarTooDeep;
    ExpandedSize size;
    for (std::size_t at = range.begin; at < range.end; ++at) {
      if (may_be_table(at) && !is_at(at + 1, "(")) size = with_part(size, size_at(at, level + 1));
    }
    return size;
  }

  ExpandedSize size_at(std::size_t at, int level) {
    if (is_at(at + 1, ".")) {  // main.name is never a common table expression
      return at + 2 < tokens_.size() ? of_view_(tokens_[at + 2].text) : ExpandedSize{0, 0};
    }
    Definition* meant = definition_at(at);
    return meant == nullptr ? of_view_(tokens_[at].text) : size_of(*meant, at, level);
  }

  Definition* definition_at(std::size_t at) {
    const auto found = definitions_.find(tokens_[at].text);
    if (found == definitions_.end()) return nullptr;
    Definition* innermost = nullptr;
    for (Definition& each : found->second) {
      if (!each.scope.contains(at)) continue;
      if (innermost == nullptr || each.scope.size() < innermost->scope.size()) innermost = &each;
    }
    return innermost;
  }

  ExpandedSize size_of(Definition& meant, std::size_t at, int level) {
    // One that mentions itself is a recursion, which runs and is not copied.
    if (meant.body.contains(at) || meant.is_being_counted) return {};
    if (meant.size.queries == 0) {
      meant.is_being_counted = true;
      meant.size = size_of(meant.body, level);
      meant.is_being_counted = false;
    }
    return meant.size;
  }

  std::vector<Token> tokens_;
  SizeOfView of_view_;
  std::vector<std::size_t> partner_;
  std::vector<Range> enclosing_;
  std::map<std::string, std::vector<Definition>, std::less<>> definitions_;
};

}  // namespace

void QueryExpansion::add_view(std::string_view name, std::string_view sql) {
  views_[lower(name)] = {.name = std::string(name), .sql = std::string(sql)};
}

ExpandedSize QueryExpansion::of(std::string_view sql) {
  measure_views();
  const auto known = [this](const std::string& name) {
    const auto found = views_.find(name);
    return found == views_.end() ? ExpandedSize{0, 0} : found->second.size;
  };
  return StatementTokens(sql, known).size();
}

std::vector<std::string> QueryExpansion::views_beyond(const ExpandedSize& each, double all) {
  measure_views();
  std::vector<const View*> views;
  for (const auto& [name, view] : views_) views.push_back(&view);
  std::ranges::stable_sort(views, [](const View* left, const View* right) {
    return left->size.queries > right->size.queries;
  });
  std::vector<std::string> beyond;
  double together = 0;
  for (const View* view : views) {
    const bool fits = view->size.queries <= each.queries && view->size.depth <= each.depth;
    if (fits) together += view->size.queries;
  }
  for (const View* view : views) {
    const bool fits = view->size.queries <= each.queries && view->size.depth <= each.depth;
    if (fits && together <= all) continue;
    if (fits) together -= view->size.queries;
    beyond.push_back(view->name);
  }
  return beyond;
}

void QueryExpansion::measure_views() {
  for (const auto& [name, view] : views_) measure(name);
}

// A chain of views may be longer than any stack, so those that come first are kept in a list.
void QueryExpansion::measure(const std::string& name) {
  std::vector<std::string> waiting{name};
  while (!waiting.empty()) {
    View& view = views_.find(waiting.back())->second;
    if (view.size.queries > 0) {
      waiting.pop_back();
      continue;
    }
    view.is_being_counted = true;
    std::vector<std::string> first;
    const auto known = [&](const std::string& mentioned) -> ExpandedSize {
      const auto found = views_.find(mentioned);
      if (found == views_.end() || found->second.is_being_counted) return {0, 0};
      if (found->second.size.queries == 0) first.push_back(mentioned);
      return found->second.size;
    };
    const ExpandedSize size = StatementTokens(view.sql, known).size();
    if (first.empty()) {
      view.size = size;
      view.is_being_counted = false;
      waiting.pop_back();
    }
    waiting.insert(waiting.end(), first.begin(), first.end());
  }
}

}  // namespace wright::tools
