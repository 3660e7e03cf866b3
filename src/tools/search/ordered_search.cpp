#include "tools/search/ordered_search.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

namespace wright::tools {
namespace {

// Small enough to spread evenly, and to keep few folders open.
constexpr std::size_t kBatchFiles = 32;
constexpr std::size_t kBatchFolders = 8;
constexpr unsigned kMaxThreads = 8;

unsigned thread_count() {
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads);
}

std::size_t max_waiting() {
  return 2 * std::size_t{thread_count()} + 2;
}

std::expected<FileMatches, int> search_file(const OrderedSearch::File& file, LineSearch& lines,
                                            std::size_t lines_wanted, const std::stop_token& stop) {
  // The folder was reached without leaving the base, so one step without a link stays in.
  const FileDescriptor opened(::openat(file.folder->get(), file.name.c_str(),
                                       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!opened.is_open()) return std::unexpected(errno);
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0) return std::unexpected(errno);
  if (!S_ISREG(status.st_mode)) return std::unexpected(ENXIO);
  return lines.search(opened.get(), status.st_size, lines_wanted, stop);
}

}  // namespace

OrderedSearch::OrderedSearch(const LinePattern& pattern, ContextLines context,
                             std::size_t lines_wanted, const std::stop_token& stop, Take take)
    : pattern_(pattern),
      context_(context),
      stop_(stop),
      take_(std::move(take)),
      own_lines_(pattern, context),
      lines_wanted_(lines_wanted),
      growing_(std::make_shared<Batch>()) {}

OrderedSearch::~OrderedSearch() {
  const std::lock_guard lock(mutex_);
  claimed_ = batches_.size();
  for (std::jthread& thread : threads_) thread.request_stop();
}

void OrderedSearch::add(File file) {
  std::vector<File>& files = growing_->files;
  files.push_back(std::move(file));
  const bool is_full = files.size() == kBatchFiles ||
                       (files.size() >= kBatchFolders &&
                        files[files.size() - kBatchFolders].folder != files.back().folder);
  if (!is_full) return;
  publish();
  take_done();
}

void OrderedSearch::publish() {
  std::size_t waiting = 0;
  {
    const std::lock_guard lock(mutex_);
    batches_.push_back(std::exchange(growing_, std::make_shared<Batch>()));
    waiting = batches_.size();
  }
  if (threads_.empty() && waiting > 1) start_threads();
  has_changed_.notify_all();
}

void OrderedSearch::start_threads() {
  try {
    for (unsigned i = 1; i < thread_count(); ++i) {
      threads_.emplace_back([this](const std::stop_token& ending) { work(ending); });
    }
  } catch (const std::system_error&) {
    return;  // the system gives no more: those that there are do the work, at least our own
  }
}

void OrderedSearch::work(const std::stop_token& ending) {
  LineSearch lines(pattern_, context_);
  while (true) {
    std::shared_ptr<Batch> batch;
    {
      std::unique_lock lock(mutex_);
      const bool is_needed =
          has_changed_.wait(lock, ending, [&] { return claimed_ < batches_.size(); });
      if (!is_needed) return;
      batch = claim();
    }
    complete(*batch, lines);
  }
}

std::shared_ptr<OrderedSearch::Batch> OrderedSearch::claim() {
  return claimed_ < batches_.size() ? batches_[claimed_++] : nullptr;
}

void OrderedSearch::complete(Batch& batch, LineSearch& lines) {
  search(batch, lines);
  {
    const std::lock_guard lock(mutex_);
    batch.is_done = true;
  }
  has_changed_.notify_all();
}

void OrderedSearch::search(Batch& batch, LineSearch& lines) const {
  std::size_t found = 0;
  for (const File& file : batch.files) {
    const std::size_t wanted = lines_wanted_.load(std::memory_order_relaxed);
    try {
      batch.results.push_back(search_file(file, lines, wanted > found ? wanted - found : 0, stop_));
    } catch (const std::bad_alloc&) {
      // The end of a thread: from here nothing could catch it.
      batch.results.push_back(std::unexpected(ENOMEM));
    }
    if (batch.results.back()) found += batch.results.back()->lines.size();
  }
}

// Takes what is done, in order. With many batches waiting it works on them too.
void OrderedSearch::take_done() {
  while (true) {
    std::shared_ptr<Batch> done;
    std::shared_ptr<Batch> claimed;
    {
      std::unique_lock lock(mutex_);
      if (batches_.empty()) return;
      if (batches_.front()->is_done) {
        done = std::move(batches_.front());
        batches_.pop_front();
        --claimed_;
      } else if (batches_.size() < max_waiting()) {
        return;
      } else if (claimed = claim(); claimed == nullptr) {
        has_changed_.wait(lock, [&] { return batches_.front()->is_done; });
        continue;
      }
    }
    if (claimed != nullptr) {
      complete(*claimed, own_lines_);
      continue;
    }
    for (std::size_t i = 0; i < done->files.size(); ++i) {
      lines_wanted_.store(take_(done->files[i], done->results[i]), std::memory_order_relaxed);
    }
  }
}

void OrderedSearch::finish() {
  if (!growing_->files.empty()) publish();
  while (true) {
    take_done();
    std::shared_ptr<Batch> claimed;
    {
      std::unique_lock lock(mutex_);
      if (batches_.empty()) return;
      claimed = claim();
      if (claimed == nullptr) {
        has_changed_.wait(lock, [&] { return batches_.front()->is_done; });
      }
    }
    if (claimed != nullptr) complete(*claimed, own_lines_);
  }
}

}  // namespace wright::tools
