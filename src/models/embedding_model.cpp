#include "models/embedding_model.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <random>

#include "core/try.h"
#include "models/chance.h"
#include "models/retry_policy.h"
#include "net/whole_response.h"
#include "providers/embeddings.h"
#include "wright/provider.h"

namespace wright::models {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLongestSilence{30'000};
constexpr milliseconds kLongestInAll{60'000};  // with all attempts
constexpr std::size_t kLargestErrorOfEmbeddings = 64 * 1024;
constexpr std::size_t kBytesOfANumber = 32;
constexpr std::size_t kLargestBody = std::size_t{256} << 20;
constexpr std::size_t kBytesOfATokenRoughly = 4;  // for pacing only

bool is_success(const HttpResponseHead& head) {
  return head.status >= 200 && head.status < 300;
}

Result<void> wait_until(Clock::time_point time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_until(lock, stop, time, [] { return false; });
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "The request was cancelled");
  return {};
}

class Embedder {
 public:
  Embedder(Candidate candidate, const ProviderOptions& options,
           std::shared_ptr<net::HttpClient> client)
      : candidate_(std::move(candidate)), options_(options), client_(std::move(client)) {
    HttpTimeouts& timeouts = options_.timeouts;
    timeouts.first_byte = std::min(timeouts.first_byte, kLongestSilence);
    timeouts.idle = std::min(timeouts.idle, kLongestSilence);
    options_.retry.deadline = std::min(options_.retry.deadline, kLongestInAll);
  }

  Result<std::vector<Embedding>> embed(std::span<const std::string> texts,
                                       const std::stop_token& stop) const {
    const auto request = TRY(providers::encode_embeddings(candidate_.endpoint, texts));
    const auto began = Clock::now();
    for (int failed = 1;; ++failed) {
      auto vectors = attempt(request, texts.size(), began, stop);
      if (vectors || stop.stop_requested()) return vectors;
      const auto spent = std::chrono::duration_cast<milliseconds>(Clock::now() - began);
      const auto wait =
          wait_before_retry(vectors.error(), {failed, spent}, chance(), options_.retry);
      if (!wait) return vectors;
      TRY(wait_until(Clock::now() + *wait, stop));
    }
  }

 private:
  // With the vendor's credential, where it has one.
  Result<HttpRequest> authorised(const HttpRequest& request, const std::stop_token& stop) const {
    if (candidate_.credentials == nullptr) return request;
    const auto credential = TRY(candidate_.credentials->get_and_wait(*client_, stop));
    return providers::authorised(request, candidate_.endpoint, credential,
                                 candidate_.credentials->now());
  }

  Result<std::vector<Embedding>> attempt(const HttpRequest& encoded, std::size_t count,
                                         Clock::time_point began,
                                         const std::stop_token& stop) const {
    const auto tokens = static_cast<std::int64_t>(encoded.body.size() / kBytesOfATokenRoughly);
    const auto turn = candidate_.pacer->reserve(Clock::now(), tokens);
    const auto deadline = began + options_.retry.deadline;
    if (turn >= deadline) {
      return fail(ErrorCode::rate_limited,
                  "The vendor's rate limit leaves no room for embeddings now");
    }
    TRY(wait_until(turn, stop));
    auto request = TRY(authorised(encoded, stop));
    HttpTimeouts timeouts = options_.timeouts;
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    timeouts.total = std::clamp(left, milliseconds(1), timeouts.total);
    const std::size_t largest = std::min(
        kLargestBody, kLargestErrorOfEmbeddings + count * kMostDimensions * kBytesOfANumber);
    const auto limit = [&](const HttpResponseHead& head) {
      return is_success(head) ? largest : kLargestErrorOfEmbeddings;
    };
    const auto answer = TRY(net::ask_and_wait(*client_, std::move(request), timeouts, limit, stop));
    if (!is_success(answer.head)) {
      return std::unexpected(error_from(candidate_.endpoint, answer.head, answer.body));
    }
    if (answer.is_cut) {
      return fail(ErrorCode::limit_reached, "The response is larger than any embeddings can be");
    }
    return providers::decode_embeddings(candidate_.endpoint, answer.body, count);
  }

  Candidate candidate_;
  ProviderOptions options_;
  std::shared_ptr<net::HttpClient> client_;
};

}  // namespace

EmbeddingModel embedding_model(Candidate candidate, const ProviderOptions& options,
                               std::shared_ptr<net::HttpClient> client) {
  std::string id = candidate.id();
  const auto embedder =
      std::make_shared<const Embedder>(std::move(candidate), options, std::move(client));
  return {std::move(id),
          [embedder](std::span<const std::string> texts, const std::stop_token& stop) {
            return embedder->embed(texts, stop);
          }};
}

}  // namespace wright::models
