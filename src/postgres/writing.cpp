#include "postgres/writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <thread>
#include <utility>

#include "core/try.h"
#include "postgres/batch.h"
#include "postgres/errors.h"
#include "postgres/questions.h"

namespace wright::postgres {
namespace {

constexpr int kMostRefusedForNothing = 20;
constexpr int kCommitsPerWriter = 1000;  // a row that lives long collects dead versions of itself

bool is_empty(const Batch& batch) {
  return !batch.create && batch.writes.empty();
}

bool is_plain_batch(const Batch& batch) {
  return std::ranges::all_of(batch.writes, BatchWriter::is_plain);
}

bool tells_time(const Batch& batch) {
  return std::ranges::any_of(batch.writes, [](const Write& write) {
    return std::holds_alternative<RenewRunner>(write) ||
           std::holds_alternative<RegisterRunner>(write);
  });
}

std::int64_t new_writer_id() {
  std::random_device random;
  const std::uint64_t bits = (std::uint64_t{random()} << 32U) | random();
  return static_cast<std::int64_t>(bits >> 1U);
}

// One thread's way through one connection.
class Writing {
 public:
  Writing(Pool& pool, Slot& slot) : pool_(pool), slot_(slot) {}

  using Results = std::vector<Result<BatchIds>>;

  // Nothing when one of them was refused: then nothing of any of them is written.
  std::optional<Results> together(std::span<const Batch> batches);
  // Statement by statement.
  Result<BatchIds> alone(const Batch& batch);

 private:
  static Results all_fail(std::size_t count, const Error& error) {
    return Results(count, std::unexpected(error));
  }
  bool may_go_on() const { return std::chrono::steady_clock::now() < deadline_; }
  void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(1 + random_() % 20)); }
  Outcome send(std::span<const Request> requests) {
    return pool_.exchange(slot_, requests, deadline_);
  }
  Request request(Query query, Values values = {}, OnRow on_row = {}) const {
    return {&pool_.statements()[query], std::move(values), std::move(on_row)};
  }
  Request advance_writer() const {
    return request(Query::advance_writer, values_of(slot_.writer.value_or(0), slot_.batch));
  }
  Request server_time();
  Result<void> be_ready();
  Result<void> have_writer();
  Result<bool> has_committed();
  Result<BatchIds> attempt(const Batch& batch, bool& is_worth_another);
  Result<void> write_in(const Batch& batch, BatchWriter& writer, Questions& questions,
                        bool& is_worth_another);

  Pool& pool_;
  Slot& slot_;
  const Deadline deadline_ = std::chrono::steady_clock::now() + kPatience;
  std::minstd_rand random_{std::random_device{}()};
  std::int64_t asked_time_ = 0;
  int refused_for_nothing_ = 0;
};

Request Writing::server_time() {
  asked_time_ = boot_clock_ms();
  return request(Query::server_time, {}, [this](const Row& row) -> Result<void> {
    pool_.learn_time(row.integer(0), asked_time_);
    return {};
  });
}

Result<void> Writing::be_ready() {
  TRY(pool_.connect(slot_, deadline_));
  return have_writer();
}

Result<void> Writing::have_writer() {
  if (slot_.writer && slot_.commits < kCommitsPerWriter) return {};
  std::vector<Request> requests;
  if (slot_.writer) requests.push_back(request(Query::end_writer, values_of(*slot_.writer)));
  const std::int64_t id = new_writer_id();
  slot_.writer.reset();
  requests.push_back(request(Query::begin_writer, values_of(id, 0)));
  TRY(all_done(send(requests)));
  slot_.writer = id;
  slot_.batch = 0;
  slot_.commits = 0;
  return {};
}

// After a commit whose answer was lost. Waits for the other end of the lost connection, if it is
// still at work, and keeps it from beginning later.
Result<bool> Writing::has_committed() {
  const std::int64_t writer = slot_.writer.value_or(0);
  const std::int64_t expected = slot_.batch;
  slot_.writer.reset();
  while (true) {
    TRY(pool_.connect(slot_, deadline_));
    std::optional<std::int64_t> found;
    const Request raise =
        request(Query::fence_writer, values_of(writer), [&](const Row& row) -> Result<void> {
          found = row.integer(0);
          return {};
        });
    const Outcome outcome = send({&raise, 1});
    if (outcome.is_done()) {
      if (!found) {
        return fail(ErrorCode::storage, "The row that tells whether a commit came through is gone");
      }
      slot_.writer = writer;
      slot_.batch = *found;
      return (*found - expected) % 2 != 0;
    }
    if (!may_go_on()) return std::unexpected(error_of(outcome));
  }
}

std::optional<Writing::Results> Writing::together(std::span<const Batch> batches) {
  while (true) {
    if (const auto ready = be_ready(); !ready) return all_fail(batches.size(), ready.error());
    const store::Moment now = pool_.now();
    std::vector<std::unique_ptr<BatchWriter>> writers;
    std::vector<Request> requests{advance_writer()};
    for (const Batch& batch : batches) {
      writers.push_back(std::make_unique<BatchWriter>(pool_.statements(), now));
      BatchWriter& writer = *writers.back();
      if (batch.create && !writer.create(*batch.create, requests)) return std::nullopt;
      for (const Write& write : batch.writes) {
        if (!writer.add(write, requests)) return std::nullopt;
      }
    }
    if (std::ranges::any_of(batches, tells_time)) requests.push_back(server_time());

    const Outcome outcome = send(requests);
    bool is_written = outcome.is_done();
    if (is_written) {
      ++slot_.batch;
    } else if (outcome.kind == Outcome::Kind::lost) {
      const auto committed = has_committed();
      if (!committed) {
        return all_fail(batches.size(), {ErrorCode::storage, committed.error().message, {}});
      }
      if (!*committed && may_go_on()) continue;
      if (!*committed) {
        return all_fail(batches.size(), {ErrorCode::unavailable, error_of(outcome).message, {}});
      }
      const bool needs_rows = std::ranges::any_of(
          requests, [](const Request& each) { return static_cast<bool>(each.on_row); });
      if (needs_rows && !outcome.has_all_rows) {
        return all_fail(batches.size(),
                        {ErrorCode::storage,
                         "The connection to PostgreSQL was lost while it answered. The changes are "
                         "stored; read them again",
                         {}});
      }
      is_written = true;
    } else if (outcome.index == 0 && outcome.state == kDivisionByZero) {
      slot_.writer.reset();  // somebody has removed its row
      if (!may_go_on()) return all_fail(batches.size(), error_of(outcome));
      continue;
    } else if (is_conflict(outcome) && may_go_on()) {
      pause();
      continue;
    } else if (is_timeout(outcome)) {
      return all_fail(batches.size(), error_of(outcome));  // statement by statement takes longer
    } else {
      return std::nullopt;
    }
    ++slot_.commits;
    if (slot_.connection && slot_.connection->is_open()) {
      if (const auto read = slot_.connection->row_error(); !read) {
        return all_fail(batches.size(), {ErrorCode::storage, read.error().message, {}});
      }
    }
    Results results;
    for (const auto& writer : writers) results.emplace_back(std::move(writer->ids()));
    return results;
  }
}

Result<BatchIds> Writing::alone(const Batch& batch) {
  while (true) {
    bool is_worth_another = false;
    auto ids = attempt(batch, is_worth_another);
    if (ids || !is_worth_another || !may_go_on()) return ids;
    pause();
  }
}

Result<BatchIds> Writing::attempt(const Batch& batch, bool& is_worth_another) {
  TRY(be_ready());
  const store::Moment now = pool_.now();
  BatchWriter writer(pool_.statements(), now);
  Questions questions(pool_, slot_, now, deadline_);
  const std::array begin{request(Query::begin), request(Query::limit_idleness), advance_writer()};
  if (const Outcome begun = send(begin); !begun.is_done()) {
    is_worth_another = true;
    if (begun.has_state(kDivisionByZero)) slot_.writer.reset();
    if (slot_.connection && slot_.connection->is_open()) {
      TRY(questions.ask(Query::rollback, {}));
    }
    return std::unexpected(all_done(begun).error());
  }
  const Preparing preparing = pool_.preparing();
  const auto written = write_in(batch, writer, questions, is_worth_another);
  if (!written) {
    // A question whose statement was not there has ended the transaction.
    if (preparing != pool_.preparing()) is_worth_another = true;
    // A connection that cannot even be rolled back is closed, which comes to the same.
    if (!questions.ask(Query::rollback, {})) slot_.connection.reset();
    return std::unexpected(written.error());
  }
  const Request commit = request(Query::commit);
  const Outcome committed = send({&commit, 1});
  if (committed.is_done()) {
    ++slot_.batch;
  } else if (committed.kind == Outcome::Kind::lost) {
    const auto has_come_through = has_committed();
    if (!has_come_through) {
      return fail(ErrorCode::storage, has_come_through.error().message);
    }
    if (!*has_come_through) {
      is_worth_another = true;
      return fail(ErrorCode::unavailable, error_of(committed).message);
    }
  } else {
    return std::unexpected(error_of(committed));
  }
  ++slot_.commits;
  return std::move(writer.ids());
}

Result<void> Writing::write_in(const Batch& batch, BatchWriter& writer, Questions& questions,
                               bool& is_worth_another) {
  const auto apply = [&](auto make, auto why) -> Result<void> {
    std::vector<Request> requests{request(Query::savepoint)};
    if (const auto made = make(requests); !made) return std::unexpected(why(made.error()));
    const Outcome outcome = send(requests);
    if (outcome.is_done()) return slot_.connection->row_error();
    if (outcome.kind == Outcome::Kind::lost || is_conflict(outcome)) {
      is_worth_another = true;
      return all_done(outcome);
    }
    TRY(questions.ask(Query::rollback_to_savepoint, {}));
    const Error refusal = error_of(outcome);
    Error reason = why(refusal);
    // What stood in the way was gone when we asked for it.
    if (outcome.has_state(kDivisionByZero) && reason.message == refusal.message) {
      is_worth_another = ++refused_for_nothing_ < kMostRefusedForNothing;
      reason = {ErrorCode::unavailable, "Others change the same all the time. Try again", {}};
    }
    return std::unexpected(std::move(reason));
  };
  if (batch.create) {
    TRY(apply([&](auto& requests) { return writer.create(*batch.create, requests); },
              [&](Error error) { return questions.why_not(*batch.create, std::move(error)); }));
  }
  for (const Write& write : batch.writes) {
    if (const auto* fork = std::get_if<ForkSession>(&write)) {
      const auto id = TRY(questions.fork(writer.target(fork->session_id), fork->last));
      writer.ids().forks.push_back(id);
      continue;
    }
    TRY(apply([&](auto& requests) { return writer.add(write, requests); },
              [&](Error error) { return questions.why_not(write, writer, std::move(error)); }));
  }
  return {};
}

}  // namespace

std::vector<Result<BatchIds>> write_batches(Pool& pool, std::span<const Batch> batches,
                                            Caution caution) {
  auto taken = pool.take(Pool::Use::writing, std::chrono::steady_clock::now() + kPatience);
  if (!taken) {
    return std::vector<Result<BatchIds>>(batches.size(), std::unexpected(taken.error()));
  }
  Pool::Lease slot = std::move(*taken);
  const bool is_plain =
      caution == Caution::as_needed && std::ranges::all_of(batches, is_plain_batch);
  if (is_plain && batches.size() > 1) {
    if (auto results = Writing(pool, *slot).together(batches)) return std::move(*results);
  }
  std::vector<Result<BatchIds>> results;
  for (const Batch& batch : batches) {
    if (is_empty(batch)) {
      results.emplace_back(BatchIds{});
      continue;
    }
    std::optional<std::vector<Result<BatchIds>>> at_once;
    if (caution == Caution::as_needed && is_plain_batch(batch)) {
      at_once = Writing(pool, *slot).together({&batch, 1});
    }
    results.push_back(at_once ? std::move(at_once->front()) : Writing(pool, *slot).alone(batch));
  }
  return results;
}

}  // namespace wright::postgres
