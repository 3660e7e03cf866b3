// Searches many files with several threads, and hands on what was found in the order in which the
// files were added.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tools/files/tree_walk.h"
#include "tools/search/line_search.h"

namespace wright::tools {

class OrderedSearch {
 public:
  struct File {
    SharedDescriptor folder;
    std::string name;  // in that folder; a link is not followed
    std::string path;
  };
  // Called in order, on the thread that adds. Answers how many lines are still wanted.
  using Take =
      std::function<std::size_t(const File& file, const std::expected<FileMatches, int>& matches)>;

  // `pattern` and `stop` are referred to.
  OrderedSearch(const LinePattern& pattern, ContextLines context, std::size_t lines_wanted,
                const std::stop_token& stop, Take take);
  OrderedSearch(const OrderedSearch&) = delete;
  OrderedSearch& operator=(const OrderedSearch&) = delete;
  // Waits for what has begun and drops the rest.
  ~OrderedSearch();

  void add(File file);
  // After this everything has been taken.
  void finish();

 private:
  // Files that one thread searches one after the other.
  struct Batch {
    std::vector<File> files;
    std::vector<std::expected<FileMatches, int>> results;
    bool is_done = false;
  };

  void publish();
  void start_threads();
  void work(const std::stop_token& ending);
  std::shared_ptr<Batch> claim();  // null when nothing waits; holds mutex_
  void search(Batch& batch, LineSearch& lines) const;
  void complete(Batch& batch, LineSearch& lines);
  void take_done();

  const LinePattern& pattern_;
  ContextLines context_;
  const std::stop_token& stop_;
  Take take_;
  LineSearch own_lines_;
  std::atomic<std::size_t> lines_wanted_;
  std::shared_ptr<Batch> growing_;

  std::mutex mutex_;
  std::condition_variable_any has_changed_;
  std::deque<std::shared_ptr<Batch>> batches_;  // published and not yet taken, in order
  std::size_t claimed_ = 0;                     // of them, those that somebody works on or has done

  std::vector<std::jthread> threads_;  // last, so that they end before what they use
};

}  // namespace wright::tools
