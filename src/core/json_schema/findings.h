// What is wrong with a value, collected in words for people and models.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json_schema/program.h"
#include "wright/json.h"
#include "wright/schema.h"

namespace wright::json_schema {

// Where violations go. Checks get a pointer, which is null when nobody asks what is wrong; then
// they may stop at the first violation.
class Findings {
 public:
  explicit Findings(std::size_t limit) : limit_(limit) {}

  void add(const detail::Path& path, std::string_view keyword, std::string message);
  void add_all(std::vector<Violation> others);
  bool is_full() const { return list_.size() >= limit_; }
  std::size_t limit() const { return limit_; }
  std::vector<Violation> take() && { return std::move(list_); }

 private:
  std::size_t limit_;
  std::vector<Violation> list_;
};

// Adds a sentence that begins with "Parameter x", or with "The arguments". Always false, the
// verdict on the value.
bool report(Findings* findings, const detail::Path& path, std::string_view keyword,
            std::string_view what);

// `describe()` says what is wrong when the rule does not hold, and is called only for those who
// ask.
template <class Describe>
bool expect(bool holds, Findings* findings, const detail::Path& path, std::string_view keyword,
            Describe describe) {
  if (holds) return true;
  if (findings != nullptr) report(findings, path, keyword, describe());
  return false;
}

// "a string, an integer or null"
std::string type_names(TypeSet types);

}  // namespace wright::json_schema
