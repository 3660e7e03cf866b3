// What list_files, read_file and grep found, as values. Reading them never fails: a field that is
// absent or of another type is left empty.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wright/json.h"

namespace wright::offline {

struct FileEntry {
  std::string path;
  std::int64_t size = -1;  // unknown
  std::string modified;
};

struct Listing {
  std::vector<FileEntry> files;
  std::int64_t total = 0;
  bool is_truncated = false;
  std::int64_t ignored = 0;  // left out because of .gitignore
  std::int64_t hidden = 0;   // left out because of their names
};

struct FileText {
  std::string path;
  std::string content;
  int start_line = 1;
  int total_lines = 0;
  std::int64_t size = 0;
  bool is_truncated = false;
  bool is_binary = false;
  std::string media_type;
};

struct Match {
  std::string path;
  int line = 0;
  std::string text;
};

struct FileCount {
  std::string path;
  std::int64_t count = 0;
};

// What a search left out. Where it is not empty, "nothing" is a claim about the rest only.
struct LeftOutOfSearch {
  std::int64_t hidden = 0;
  std::int64_t ignored = 0;  // because of .gitignore
  std::int64_t binary = 0;
  std::int64_t unreadable = 0;
  std::int64_t links = 0;
};

struct Matches {
  std::vector<Match> matches;     // output_mode content
  std::vector<FileCount> counts;  // output_mode count and files
  std::int64_t total = 0;
  std::int64_t files_with_matches = 0;
  std::int64_t files_searched = 0;
  bool is_truncated = false;
  LeftOutOfSearch left_out = {};
};

Listing read_listing(const Json& json);
FileText read_file_text(const Json& json);
Matches read_matches(const Json& json);

}  // namespace wright::offline
