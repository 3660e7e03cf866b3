// The index of one code base: knows where it is kept, and brings it up to date with the files and
// with git. Thread-safe. Queries are not done here.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "entities/file_reader.h"
#include "entities/index_database.h"
#include "tools/files/tree_walk.h"
#include "tools/workspace/workspace.h"
#include "wright/tools.h"

namespace wright::entities {

// What an update did.
struct IndexUpdate {
  std::int64_t files = 0;  // that there are now
  std::int64_t read = 0;   // that were parsed
  std::int64_t removed = 0;
  bool has_history = false;  // times of changes come from git
  tools::LeftOut unread;     // files and folders that could not be read
};

class CodeIndex {
 public:
  // Nothing is read yet.
  static Result<std::shared_ptr<CodeIndex>> make(CodeIndexOptions options);

  // Compares with the files and reads what changed, unless that was done just before.
  Result<IndexUpdate> refresh(const std::stop_token& stop);

  const std::filesystem::path& file() const { return file_; }
  const tools::Workspace& workspace() const { return workspace_; }
  const CodeIndexOptions& options() const { return options_; }

 private:
  CodeIndex(CodeIndexOptions options, tools::Workspace workspace, std::filesystem::path file);

  Result<IndexUpdate> update(const std::stop_token& stop);
  Result<bool> update_history(const std::stop_token& stop);
  Result<const Sandbox*> prepared();
  void report(std::string_view what, std::int64_t done, std::int64_t total) const;

  struct Scan;
  Result<Scan> scan(const std::stop_token& stop);
  struct Reading;
  Result<Reading> read_files(const std::vector<FileToRead>& files, const Ctags& ctags,
                             std::int64_t settled_before_ns, const std::stop_token& stop);
  Result<Reading> store(const std::vector<FileRead>& files, std::int64_t settled_before_ns);

  CodeIndexOptions options_;
  tools::Workspace workspace_;
  std::filesystem::path file_;
  std::mutex mutex_;  // guards what follows
  std::optional<Sandbox> sandbox_;
  std::optional<IndexDatabase> database_;
  std::chrono::steady_clock::time_point checked_at_ = {};
  IndexUpdate last_;
};

}  // namespace wright::entities
