// What is known about one thing in a file of source: a class, a function, a section, or the file
// itself. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wright::entities {

struct CodeEntity {
  std::string type = {};  // class, function, method, …: see entity_types.h
  std::string name = {};
  std::string qualified_name = {};  // with the names of what it stands in
  std::string kind = {};            // ctags' own word for the type
  std::string language = {};
  std::string signature = {};
  std::string visibility = {};
  std::string parent = {};         // qualified name of what it stands in
  bool parent_is_here = false;     // the parent is in the same file
  std::string documentation = {};  // the comment that belongs to it, shortened
  int start_line = 0;
  int end_line = 0;
};

// One file and what is in it.
struct CodeFile {
  std::string path = {};  // relative to the base, the bytes that the system uses
  std::string language = {};
  std::string hash = {};  // blob_hash() of the content
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // of its data or of what the system knows about it
  std::int64_t number = 0;      // of the file in its file system
  int line_count = 0;
  std::vector<CodeEntity> entities = {};
};

}  // namespace wright::entities
