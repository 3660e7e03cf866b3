#include "models/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/text.h"
#include "core/try.h"
#include "net/whole_response.h"
#include "providers/batches.h"
#include "providers/credential.h"
#include "providers/provider_errors.h"

namespace wright::models {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestQuestion{60'000};
constexpr milliseconds kLongestTransfer{600'000};
constexpr std::size_t kLargestResults = std::size_t{512} << 20;
constexpr double kPriceOfBatches = 0.5;  // of the usual one, at all of these vendors

BatchResult result_of(providers::DecodedBatchResult line, const Batches::EndpointOf& endpoint_of,
                      const Endpoint& fallback) {
  BatchResult result{.id = std::move(line.id)};
  if (!line.problem.empty()) {
    result.response =
        fail(ErrorCode::unavailable, fmt::format("The request was not answered: {}", line.problem));
    return result;
  }
  if (line.head.status < 200 || line.head.status >= 300) {
    result.response = std::unexpected(error_from(fallback, line.head, line.body));
    return result;
  }
  const auto known = line.model.empty() ? Result<Endpoint>(fallback) : endpoint_of(line.model);
  Endpoint endpoint = known ? *known : fallback;
  const bool is_openai = endpoint.protocol() == Protocol::openai_chat ||
                         endpoint.protocol() == Protocol::openai_responses;
  if (is_openai) {
    // What it is says which of the two it was asked with.
    endpoint.model.protocol = line.body.contains(R"("object":"response")")
                                  ? Protocol::openai_responses
                                  : Protocol::openai_chat;
  }
  const auto decoder = make_decoder(endpoint, Request{});
  if (auto fed = decoder->feed(line.body, {}); !fed) {
    result.response = std::unexpected(std::move(fed).error());
    return result;
  }
  result.response = decoder->finish();
  if (result.response) result.response->usage.cost_usd *= kPriceOfBatches;
  return result;
}

// One that cannot be read says nothing of the others.
BatchResult result_in(std::string_view line, std::size_t number,
                      const Batches::EndpointOf& endpoint_of, const Endpoint& endpoint) {
  auto decoded = providers::decode_batch_result(endpoint, line);
  if (decoded) {
    BatchResult result = result_of(std::move(*decoded), endpoint_of, endpoint);
    if (!result.id.empty() || result.response) return result;
    return {.response =
                fail(ErrorCode::protocol, fmt::format("Line {} of the results has no id: {}",
                                                      number, result.response.error().message))};
  }
  return {.response = fail(ErrorCode::protocol, fmt::format("Line {} of the results: {}", number,
                                                            decoded.error().message))};
}

}  // namespace

SecretFilter Batches::filter() const {
  const std::string& key = candidate_.endpoint.key;
  return SecretFilter(secrets_.empty() && !key.empty() ? std::vector{key} : secrets_);
}

// Some vendors repeat a key in their words.
void Batches::clean(BatchResult& result) const {
  const SecretFilter secrets = filter();
  secrets.clean(result.id);
  if (result.response) {
    secrets.clean(*result.response);
  } else {
    secrets.clean(result.response.error().message);
  }
}

Result<BatchState> Batches::cleaned(Result<providers::DecodedBatch> decoded) const {
  const SecretFilter secrets = filter();
  if (!decoded) {
    secrets.clean(decoded.error().message);
    return std::unexpected(std::move(decoded).error());
  }
  secrets.clean(decoded->state.status);
  return std::move(decoded->state);
}

Result<std::string> Batches::answer_to(HttpRequest request, milliseconds most) {
  if (candidate_.credentials != nullptr) {
    const auto credential = TRY(candidate_.credentials->get_and_wait(client_, stop_));
    request = TRY(providers::authorised(std::move(request), candidate_.endpoint, credential,
                                        candidate_.credentials->now()));
    secrets_ = secrets_in(credential);
  }
  HttpTimeouts timeouts;
  timeouts.total = timeouts.first_byte = most;
  auto answer = TRY(net::ask_and_wait(
      client_, std::move(request), timeouts,
      [](const HttpResponseHead&) { return kLargestResults; }, stop_));
  if (answer.head.status < 200 || answer.head.status >= 300) {
    Error error = error_from(candidate_.endpoint, answer.head, answer.body);
    filter().clean(error.message);
    return std::unexpected(std::move(error));
  }
  if (answer.is_cut) return fail(ErrorCode::limit_reached, "The results are more than 512 MB");
  return std::move(answer.body);
}

// Azure reads a file for some seconds before it takes a batch of it.
Result<void> Batches::wait_for_file(const std::string& file) {
  constexpr int kMostQuestions = 60;
  constexpr milliseconds kBetween{2'000};
  for (int i = 0; i < kMostQuestions; ++i) {
    auto question = TRY(providers::encode_file_question(candidate_.endpoint, file));
    const auto body = TRY(answer_to(std::move(question), kLongestQuestion));
    const auto state = TRY(providers::decode_batch_file(candidate_.endpoint, body));
    if (state.is_ready) return {};
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop_, kBetween, [] { return false; });
    if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "Stopped while a file was read");
  }
  return fail(
      ErrorCode::timeout,
      fmt::format("The vendor has not read the file {} within two minutes. Try again", file));
}

Result<BatchState> Batches::submit(std::span<const BatchRequest> requests) {
  const Endpoint& endpoint = candidate_.endpoint;
  TRY(providers::check_batch(endpoint, requests));
  std::string file;
  if (auto upload = TRY(providers::encode_batch_file(endpoint, requests))) {
    const auto body = TRY(answer_to(std::move(*upload), kLongestTransfer));
    const auto uploaded = TRY(providers::decode_batch_file(endpoint, body));
    if (!uploaded.is_ready) TRY(wait_for_file(uploaded.id));
    file = uploaded.id;
  }
  auto batch = TRY(providers::encode_batch(endpoint, requests, file));
  const auto body = TRY(answer_to(std::move(batch), kLongestTransfer));
  return cleaned(providers::decode_batch(endpoint, body));
}

Result<BatchState> Batches::state(std::string_view id) {
  auto request = TRY(
      providers::encode_batch_question(candidate_.endpoint, providers::BatchQuestion::state, id));
  const auto body = TRY(answer_to(std::move(request), kLongestQuestion));
  return cleaned(providers::decode_batch(candidate_.endpoint, body));
}

Result<BatchState> Batches::cancel(std::string_view id) {
  auto request = TRY(
      providers::encode_batch_question(candidate_.endpoint, providers::BatchQuestion::cancel, id));
  const auto body = TRY(answer_to(std::move(request), kLongestQuestion));
  if (!providers::tells_of_cancelled(candidate_.endpoint)) return state(id);
  return cleaned(providers::decode_batch(candidate_.endpoint, body));
}

Result<std::vector<BatchState>> Batches::list() {
  auto request = TRY(
      providers::encode_batch_question(candidate_.endpoint, providers::BatchQuestion::list, {}));
  const auto body = TRY(answer_to(std::move(request), kLongestQuestion));
  auto decoded = TRY(providers::decode_batch_list(candidate_.endpoint, body));
  std::vector<BatchState> states;
  for (auto& each : decoded) {
    auto state = TRY(cleaned(std::move(each)));
    states.push_back(std::move(state));
  }
  return states;
}

Result<std::vector<BatchResult>> Batches::results(std::string_view id,
                                                  const EndpointOf& endpoint_of) {
  const Endpoint& endpoint = candidate_.endpoint;
  auto question =
      TRY(providers::encode_batch_question(endpoint, providers::BatchQuestion::state, id));
  const auto told = TRY(answer_to(std::move(question), kLongestQuestion));
  const auto batch = TRY(providers::decode_batch(endpoint, told));
  const auto refuse = [&](Error error) -> std::unexpected<Error> {
    filter().clean(error.message);
    return std::unexpected(std::move(error));
  };
  if (batch.state.phase != BatchState::Phase::ended) {
    return refuse({ErrorCode::unavailable,
                   fmt::format("The batch {} has not ended: {}, {} of {} answered", batch.state.id,
                               batch.state.status, batch.state.answered, batch.state.total)});
  }
  if (!batch.refused_file.empty()) {
    return refuse(providers::malformed_answer(
        endpoint, fmt::format("a file of results with an id that cannot be asked for: '{}'",
                              batch.refused_file)));
  }
  std::vector<BatchResult> results;
  const auto add = [&](std::string_view lines) {
    for (std::size_t number = 1; !lines.empty(); ++number) {
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      const std::string_view line = trimmed(lines.substr(0, end));
      lines.remove_prefix(std::min(end + 1, lines.size()));
      if (line.empty()) continue;
      results.push_back(result_in(line, number, endpoint_of, endpoint));
      clean(results.back());
    }
  };
  add(batch.result_lines);
  for (const std::string& url : batch.result_urls) {
    auto request = TRY(providers::encode_batch_results(endpoint, url));
    const auto body = TRY(answer_to(std::move(request), kLongestTransfer));
    add(body);
  }
  return results;
}

}  // namespace wright::models
