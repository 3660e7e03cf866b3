#include "entities/code_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "core/try.h"
#include "entities/batch_workers.h"
#include "entities/blob_hash.h"
#include "entities/git_history.h"
#include "tools/files/tree_walk.h"
#include "wright/json.h"

namespace wright {

std::int64_t system_time_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace wright

namespace wright::entities {
namespace {

constexpr std::size_t kFilesInBatch = 256;
constexpr std::int64_t kBytesInBatch = std::int64_t{4} << 20;
constexpr std::size_t kMostThreads = 8;
constexpr std::size_t kManyFiles = 500;  // for which the search structures are made afterwards
constexpr std::int64_t kNanoseconds = 1'000'000'000;

// The name says which base it is for to people, and to us.
std::filesystem::path index_file(const std::filesystem::path& folder, const std::string& base) {
  std::string name;
  for (const char c : base.substr(base.rfind('/') + 1)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (name.size() < 40) name += is_plain ? c : '_';
  }
  return folder / fmt::format("{}-{}.db", name, blob_hash(base).substr(0, 16));
}

// Neighbours stay together; a batch is small enough for progress to be seen.
std::vector<std::span<const FileToRead>> batches_of(const std::vector<FileToRead>& files,
                                                    std::size_t threads) {
  const std::size_t most = std::clamp(files.size() / (threads * 4), std::size_t{8}, kFilesInBatch);
  std::vector<std::span<const FileToRead>> batches;
  std::size_t start = 0;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    bytes += files[i].size;
    if (i + 1 - start < most && bytes < kBytesInBatch && i + 1 < files.size()) continue;
    batches.push_back(std::span(files).subspan(start, i + 1 - start));
    start = i + 1;
    bytes = 0;
  }
  return batches;
}

}  // namespace

struct CodeIndex::Scan {
  std::int64_t files = 0;
  std::vector<FileToRead> to_read;
  std::vector<std::string> removed;
  tools::LeftOut unread;
};

// What became of files that were to be read.
struct CodeIndex::Reading {
  std::int64_t parsed = 0;
  tools::LeftOut unread;
};

Result<std::shared_ptr<CodeIndex>> CodeIndex::make(CodeIndexOptions options) {
  if (options.folder.empty()) {
    return fail(ErrorCode::invalid_argument, "There is no folder to keep the index of entities in");
  }
  auto workspace =
      TRY(tools::Workspace::open({.base = options.base, .unreadable = options.policy.unreadable}));
  auto file = index_file(options.folder, workspace.base());
  return std::shared_ptr<CodeIndex>(
      new CodeIndex(std::move(options), std::move(workspace), std::move(file)));
}

CodeIndex::CodeIndex(CodeIndexOptions options, tools::Workspace workspace,
                     std::filesystem::path file)
    : options_(std::move(options)), workspace_(std::move(workspace)), file_(std::move(file)) {}

void CodeIndex::report(std::string_view what, std::int64_t done, std::int64_t total) const {
  if (options_.on_progress) options_.on_progress({what, done, total});
}

Result<const Sandbox*> CodeIndex::prepared() {
  if (!sandbox_) {
    SandboxPolicy policy = options_.policy;
    policy.write_paths.clear();
    policy.network = NetworkAccess::off;
    // ctags is given the files that the workspace finds, and git looks at its history alone.
    policy.unreadable.clear();
    policy.read_paths.emplace_back(workspace_.base());
    for (auto& folder : GitHistory::folders_of(workspace_.base())) {
      policy.read_paths.push_back(std::move(folder));
    }
    sandbox_ = TRY(Sandbox::prepare(std::move(policy)));
  }
  return &*sandbox_;
}

Result<IndexUpdate> CodeIndex::refresh(const std::stop_token& stop) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (database_ && checked_at_ != std::chrono::steady_clock::time_point() &&
      now - checked_at_ < options_.recheck_after) {
    return last_;
  }
  auto updated = update(stop);
  if (!updated && is_damage(updated.error())) {
    database_.reset();
    IndexDatabase::discard(file_);
    updated = update(stop);
  }
  if (!updated) return updated;
  last_ = *updated;
  checked_at_ = std::chrono::steady_clock::now();
  return updated;
}

Result<IndexUpdate> CodeIndex::update(const std::stop_token& stop) {
  std::error_code problem;
  if (database_ && !std::filesystem::exists(file_, problem)) database_.reset();
  if (!database_) {
    database_ = TRY(IndexDatabase::open(file_));
  }
  const std::int64_t started_ns = system_time_ms() * 1'000'000;
  IndexUpdate made;
  made.has_history = TRY(update_history(stop));
  const auto found = TRY(scan(stop));
  made.files = found.files;
  made.removed = std::ssize(found.removed);
  made.unread = found.unread;
  if (!found.removed.empty()) {
    auto done = database_->together([&]() -> Result<void> {
      for (const std::string& path : found.removed) {
        TRY(database_->remove_file(path));
      }
      return {};
    });
    TRY(done);
  }
  if (found.to_read.empty()) return made;
  const auto sandbox = TRY(prepared());
  const Ctags ctags(*sandbox, workspace_.base());
  const auto read = TRY(read_files(found.to_read, ctags, started_ns - 2 * kNanoseconds, stop));
  made.read = read.parsed;
  made.unread.add(read.unread);
  return made;
}

Result<bool> CodeIndex::update_history(const std::stop_token& stop) {
  const auto known = TRY(database_->head());
  std::optional<std::string> head;
  if (!GitHistory::folders_of(workspace_.base()).empty()) {
    const auto sandbox = TRY(prepared());
    const GitHistory history(*sandbox, workspace_.base());
    head = history.head(stop);
    if (head && *head != known) {
      const auto changes = history.changes_since(known, stop);
      if (changes) {
        TRY(database_->set_history(*head, *changes));
      } else {
        head.reset();
      }
    }
  }
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "Indexing was cancelled");
  if (!head && !known.empty()) {
    TRY(database_->forget_history());
  }
  return head.has_value();
}

Result<CodeIndex::Scan> CodeIndex::scan(const std::stop_token& stop) {
  auto known = TRY(database_->files());
  const auto folder = TRY(workspace_.open_folder("."));
  Scan made;
  const tools::WalkOptions options{.sizes = tools::Sizes::known};
  const auto walked =
      tools::walk(workspace_, folder, options, stop, [&](const tools::WalkEntry& entry) {
        ++made.files;
        const auto before = known.find(entry.path);
        if (before == known.end()) {
          made.to_read.push_back({entry.path, entry.status.size, {}});
          return tools::Visited::proceed;
        }
        const IndexedFile& file = before->second;
        const bool is_same = file.is_settled && file.size == entry.status.size &&
                             file.modified_ns == entry.status.modified &&
                             file.changed_ns == entry.status.changed &&
                             file.number == static_cast<std::int64_t>(entry.status.number);
        if (!is_same) made.to_read.push_back({entry.path, entry.status.size, file.hash});
        known.erase(before);
        return tools::Visited::proceed;
      });
  if (!walked) return std::unexpected(walked.error());
  made.unread = walked->lost;
  for (const auto& [path, file] : known) made.removed.push_back(path);
  return made;
}

Result<CodeIndex::Reading> CodeIndex::read_files(const std::vector<FileToRead>& files,
                                                 const Ctags& ctags, std::int64_t settled_before_ns,
                                                 const std::stop_token& stop) {
  constexpr std::string_view kWhat = "Reading files";
  const FileReader reader(workspace_, ctags);
  const std::size_t threads =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  const auto batches = batches_of(files, threads);
  const bool is_large = files.size() >= kManyFiles;
  if (is_large) {
    TRY(database_->drop_indexes());
  }
  const auto total = std::ssize(files);
  std::int64_t done_files = 0;
  Reading made;
  Result<void> outcome;
  report(kWhat, 0, total);
  {
    std::stop_source ending;
    const std::stop_callback when_asked(stop, [&] { ending.request_stop(); });
    BatchWorkers<Result<std::vector<FileRead>>> workers(
        batches.size(), threads, [&, token = ending.get_token()](std::size_t batch, const auto&) {
          return reader.read(batches[batch], token);
        });
    while (outcome) {
      auto read = workers.next();
      if (!read) break;
      if (!*read) {
        outcome = std::unexpected(std::move(*read).error());
        break;
      }
      const auto stored = store(**read, settled_before_ns);
      if (!stored) {
        outcome = std::unexpected(stored.error());
        break;
      }
      made.parsed += stored->parsed;
      made.unread.add(stored->unread);
      done_files += std::ssize(**read);
      report(kWhat, done_files, total);
    }
    ending.request_stop();
  }
  if (is_large) {
    auto indexed = database_->make_indexes();
    if (outcome) outcome = std::move(indexed);
  }
  if (done_files < total) report(kWhat, total, total);
  if (!outcome) return std::unexpected(std::move(outcome).error());
  return made;
}

Result<CodeIndex::Reading> CodeIndex::store(const std::vector<FileRead>& files,
                                            std::int64_t settled_before_ns) {
  Reading made;
  bool is_touched = false;
  auto done = database_->together([&]() -> Result<void> {
    for (const FileRead& read : files) {
      const Settled settled =
          read.file.modified_ns < settled_before_ns ? Settled::yes : Settled::no;
      Result<void> stored;
      switch (read.outcome) {
        case FileRead::Outcome::changed:
          stored = database_->put_file(read.file, settled);
          ++made.parsed;
          break;
        case FileRead::Outcome::same:
          stored = database_->touch_file(read.file, settled);
          is_touched = true;
          break;
        case FileRead::Outcome::unreadable: made.unread.add(read.file.path); [[fallthrough]];
        case FileRead::Outcome::gone: stored = database_->remove_file(read.file.path); break;
      }
      if (!stored) return stored;
    }
    return is_touched ? database_->refresh_times() : Result<void>();
  });
  TRY(done);
  return made;
}

}  // namespace wright::entities
