#include "models/listed_models.h"

#include <algorithm>

#include "core/try.h"
#include "net/whole_response.h"
#include "providers/credential.h"
#include "providers/model_list.h"

namespace wright::models {
namespace {

constexpr int kMostPages = 50;
constexpr std::size_t kLargestPage = std::size_t{32} << 20;
constexpr std::chrono::milliseconds kLongestListing{60'000};

Result<HttpRequest> page_request(const Candidate& candidate, net::HttpClient& client,
                                 std::string_view page, const std::stop_token& stop) {
  auto request = TRY(providers::encode_model_list(candidate.endpoint, page));
  if (candidate.credentials == nullptr) return request;
  const auto credential = TRY(candidate.credentials->get_and_wait(client, stop));
  return providers::authorised(std::move(request), candidate.endpoint, credential,
                               candidate.credentials->now());
}

}  // namespace

Result<std::vector<ListedModel>> listed_models(const Candidate& candidate, net::HttpClient& client,
                                               const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + kLongestListing;
  std::vector<ListedModel> models;
  std::string page;
  for (int pages = 0; pages < kMostPages; ++pages) {
    auto request = TRY(page_request(candidate, client, page, stop));
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    HttpTimeouts timeouts;
    timeouts.total = std::max(left, std::chrono::milliseconds(1));
    timeouts.first_byte = timeouts.total;
    const auto answer = TRY(net::ask_and_wait(
        client, std::move(request), timeouts, [](const HttpResponseHead&) { return kLargestPage; },
        stop));
    if (answer.head.status < 200 || answer.head.status >= 300) {
      return std::unexpected(error_from(candidate.endpoint, answer.head, answer.body));
    }
    if (answer.is_cut) {
      return fail(ErrorCode::limit_reached, "The vendor's list of models is too large");
    }
    auto read = TRY(providers::decode_model_list(candidate.endpoint, answer.body));
    std::ranges::move(read.models, std::back_inserter(models));
    if (read.next.empty() || read.next == page) break;
    page = std::move(read.next);
  }
  return models;
}

}  // namespace wright::models
