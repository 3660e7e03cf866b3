// Answers that cost the store a walk: made once in a while for all who want them, however many look
// on. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "wright/error.h"
#include "wright/json.h"

namespace wright::server {

class Snapshots {
 public:
  // What is older is made anew.
  explicit Snapshots(std::chrono::milliseconds age) : age_(age) {}

  // The text of what `make` made for this key. Several who ask at once wait for one walk. What
  // failed is not kept.
  Result<std::string> get(const std::string& key, const std::function<Result<Json>()>& make);
  // Something has changed: nothing that was made before is given out.
  void forget();

 private:
  struct Kept {
    std::mutex mutex;  // held while it is made
    std::chrono::steady_clock::time_point made_at = {};
    std::string text = {};
  };

  const std::chrono::milliseconds age_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Kept>> kept_;
};

// What a request with this query asks for, in the name of that tenant.
inline std::string snapshot_key(std::string_view query, const std::optional<std::string>& tenant) {
  return std::string(query) + (tenant ? "\n" + *tenant : "");
}

}  // namespace wright::server
