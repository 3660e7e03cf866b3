// Feeds the matchers of globs and of .gitignore with a pattern, a NUL and a path. Whatever they
// are: no crash, no hang, a message with every refusal, and always the same answer.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tools/files/gitignore.h"
#include "tools/files/glob.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wright::tools;
  const std::string_view input(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes as text
  const std::size_t end = std::min(input.find('\0'), input.size());
  const std::string_view pattern = input.substr(0, end);
  const std::string_view path = input.substr(std::min(end + 1, input.size()));
  const auto glob = Glob::parse(pattern);
  if (!glob && glob.error().message.empty()) std::abort();
  if (glob && glob->matches(path) != glob->matches(path)) std::abort();
  const IgnoreFile rules = IgnoreFile::parse(pattern);
  for (const EntryKind kind : {EntryKind::file, EntryKind::folder}) {
    // What one rule ignores, the same rule turned round keeps.
    const auto verdict = rules.judge(path, kind);
    // Escapes, comments, a negation and a byte order mark mean something else behind a "!".
    const bool is_one_rule = pattern.find_first_of("\n\r#!\\\xEF") == std::string_view::npos;
    if (!is_one_rule || verdict != IgnoreFile::Verdict::ignored) continue;
    const auto turned = IgnoreFile::parse("!" + std::string(pattern)).judge(path, kind);
    if (turned != IgnoreFile::Verdict::kept) std::abort();
  }
  return 0;
}
