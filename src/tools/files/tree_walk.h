// Visits what lies in a folder, in the order of its paths, and leaves out what git ignores and what
// is hidden. Never follows a link into a folder, never enters .git or node_modules. Opens no files.
// As deep as a path can name; whatever is left out is counted, and some of it named.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/workspace/workspace.h"
#include "wright/json.h"

namespace wright::tools {

enum class Extent : std::uint8_t {
  tree,     // all files, at every depth
  entries,  // files and folders that are directly there
};
enum class Hidden : std::uint8_t { leave_out, visit };
enum class Extras : std::uint8_t {
  leave_out,
  visit,  // also links and special files, and each folder of a tree before what is in it
};
enum class Sizes : std::uint8_t { unknown, known };  // whether WalkEntry::status is filled

struct WalkOptions {
  Extent extent = Extent::tree;
  Hidden hidden = Hidden::leave_out;
  Links links = Links::refuse;  // follow: a link to a file counts as that file
  Sizes sizes = Sizes::unknown;
  Extras extras = Extras::leave_out;
  std::function<bool(const std::string& inside)> wanted = {};  // which are visited; empty: all
};

using SharedDescriptor = std::shared_ptr<const FileDescriptor>;

struct WalkEntry {
  const std::string& path;         // relative to the base
  const SharedDescriptor& folder;  // the folder that it is in, held open
  const std::string& name;         // in that folder
  EntryKind kind;                  // file or folder; others with Extras::visit
  FileStatus status;               // with Sizes::known
};

// How many were not visited, and the paths of the first.
struct LeftOut {
  static constexpr std::size_t kMostNamed = 5;
  std::int64_t count = 0;
  std::vector<std::string> paths = {};

  void add(std::string path);
  void add(const LeftOut& others);
};

// What was not visited. A folder counts as one, whatever is in it.
struct Skipped {
  std::int64_t ignored = 0;
  std::int64_t hidden = 0;
  LeftOut unreadable = {};  // by permission, by kind (pipes, devices), or links that lead out
  LeftOut links = {};       // links that were not followed, though they may lead to files
  LeftOut lost = {};        // those of the unreadable that may hold more than was visited

  // {"ignored", "hidden", "unreadable"}, and names where there are any.
  JsonObject json() const;
};

// A sentence about what is missing from an answer because it could not be read; empty when nothing
// is.
std::string missing_note(const LeftOut& lost);

enum class Visited : std::uint8_t { proceed, end };
using Visit = std::function<Visited(const WalkEntry& entry)>;

// Fails only when it is stopped. The folder itself is walked even where it is ignored or hidden.
Result<Skipped> walk(const Workspace& workspace, const Folder& folder, const WalkOptions& options,
                     const std::stop_token& stop, const Visit& visit);

}  // namespace wright::tools
