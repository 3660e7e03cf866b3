// For tests: a way to a PostgreSQL that cuts a connection at one request, exactly where it is told
// to. A request is what the client sends up to a Sync: one transaction, or a statement of one.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "store/store_testing.h"

namespace wright::postgres {

enum class Cut : std::uint8_t {
  before_request,     // the server never sees it
  behind_request,     // it is on its way, and nobody waits for what the server does
  before_answer,      // the server is done, and nothing of its answer comes through
  before_answer_ends  // all of the answer but its last message comes through
};

class CuttingProxy {
 public:
  // `url` is that of a TestCluster.
  explicit CuttingProxy(const std::string& url);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  // Leads through the proxy.
  const std::string& url() const { return url_; }

  // From now on `passed` requests pass, and the `times` that follow are cut, on whichever
  // connection they come.
  void cut(Cut where, int passed, int times);
  // How many were cut since then; cuts none any more.
  int stop();

 private:
  class Pair;

  void accept_all();
  // Where the next request is cut, if it is.
  std::optional<Cut> next_cut();

  TemporaryFolder folder_;
  std::string server_;
  std::string url_;
  int listening_ = -1;
  int wake_ = -1;  // readable when it is over
  std::mutex mutex_;
  Cut where_ = Cut::before_request;
  int passed_left_ = 0;
  int times_left_ = 0;
  int cuts_ = 0;
  std::vector<std::jthread> pairs_;  // of accept_all alone
  std::jthread accepting_;
};

}  // namespace wright::postgres
