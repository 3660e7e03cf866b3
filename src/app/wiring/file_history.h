// What the calls of a session changed in files: of its last turn, or of all of it, with the
// specialists below it and the sessions that it was forked from.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "tools/undo/undo.h"
#include "wright/store.h"

namespace wright::app {

class FileHistory {
 public:
  // The store outlives it. The settings say which folder, and where the changes are kept.
  FileHistory(const Settings& settings, Store& store);

  struct Part {
    tools::UndoPlan plan;
    std::vector<tools::ChangeEntry> entries;

    bool is_empty() const { return entries.empty(); }
  };
  // Since the user's last message; of the whole session.
  Result<Part> of_last_turn(SessionId id) const;
  Result<Part> of_session(SessionId id) const;

  // Does what the plan says, and remembers it.
  Result<void> take_back(const Part& part);

  // With the session.
  void forget(SessionId id);

 private:
  using CallIds = std::set<std::string, std::less<>>;

  Result<Part> part_of(SessionId id, const std::optional<CallIds>& calls) const;
  Result<void> add_entries(SessionId id, const std::optional<CallIds>& calls, int depth,
                           Part& part) const;
  Result<std::string> gap_of(SessionId id, const std::string& store,
                             std::span<const StoredCall> rows) const;

  Store& store_;
  std::filesystem::path base_;
  std::vector<std::filesystem::path> writable_;
  std::optional<tools::ChangeLog> log_;
};

// What it says of each file, a line each: "  restore  src/a.cpp  +1 −3".
std::string shown_plan(const tools::UndoPlan& plan);

}  // namespace wright::app
