// A session that does everything at once: a chief with two specialists, one of which has another
// below it; tools that read, that are idempotent and that write; several calls in a turn, several
// turns, and two messages of the user. Its models are functions of what they are asked, so that a
// new process goes on as the old one would have.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "faults/moments.h"
#include "wright/runtime.h"

namespace wright::faults {

// What the tools did to the world, in a file that outlives its process.
class Ledger {
 public:
  explicit Ledger(std::filesystem::path path) : path_(std::move(path)) {}

  void add(const std::string& line) const;  // at once and whole
  std::vector<std::string> lines() const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline constexpr std::string_view kFirstMessage = "Do the books";
inline constexpr std::string_view kSecondMessage = "And close them";
inline constexpr std::string_view kFirstAnswer = "The books are done";
inline constexpr std::string_view kSecondAnswer = "The books are closed";
inline constexpr std::size_t kSessions = 4;  // chief, clerk, and two scribes
inline constexpr std::size_t kWrites = 8;    // calls of `pay` in all of them

// `look` reads, `put` is idempotent, `pay` writes. Each notes "<tool> begins <key>" before its
// effect and "<tool> did <key>" as its effect.
AgentPointer make_chief(const Ledger& ledger, Moments& moments);

enum class Driver : std::uint8_t { blocking, runtime };

// A file of SQLite, or a database of a PostgreSQL.
Result<std::unique_ptr<Store>> open_place(const std::string& place);

// Drives the session of the office in `place` to its end, from wherever it is: 0 when it got there,
// otherwise a code for people.
int work(Driver driver, const std::string& place, const Ledger& ledger, Moments& moments);

// Why these messages may not be offered to a model; empty when they may.
std::string flaw_of(std::span<const Message> messages);

}  // namespace wright::faults
