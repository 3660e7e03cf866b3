// What people and fate do to the simulated world.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "simulation/world.h"

namespace wright::simulation {

// --- fate --------------------------------------------------------------------------------------

void World::trouble() {
  if (is_healed_) return;
  at(now_ + faults_.between(100, 4'000), kWorld, [this] { trouble(); });
  constexpr std::array<Feature, 6> kTroubles{Feature::kill,  Feature::stop,      Feature::drain,
                                             Feature::crash, Feature::wall_jump, Feature::count_};
  const Feature feature = faults_.one_of(kTroubles);
  if (feature == Feature::count_ || !happens(feature, 1000)) return;
  auto processes = alive();
  switch (feature) {
    case Feature::kill: return kill_one();
    case Feature::stop:
      if (!processes.empty()) {
        faults_.one_of(processes)->sleep_until(now_ + faults_.between(100, options_.lease_ms * 2));
      }
      return;
    case Feature::drain:
      if (!processes.empty()) {
        const auto process = faults_.one_of(processes);
        at(now_, process->owner(), [process] { process->drain(); });
        at(now_ + faults_.between(1, 3'000), kWorld, [this] { start_process(); });
      }
      return;
    case Feature::crash: return crash();
    case Feature::wall_jump: wall_ahead_ += faults_.between(-120'000, 120'000); return;
    default: return;
  }
}

void World::kill_one() {
  const auto processes = alive();
  if (processes.empty()) return;
  const auto process = faults_.one_of(processes);
  note("killed", process->owner());
  process->kill();
  if (has(Plant::acts_before_writing) && now_ < unsafe_until_) {
    watch_.forget_after(store_.lose_last(1), Watch::Effects::held_against);
  }
  at(now_ + faults_.between(1, 5'000), kWorld, [this] { start_process(); });
}

void World::crash() {
  // Whoever loads a session at this moment would go on with it.
  if (depth_ > 1) return;
  note("crashed");
  ++era_;
  for (const ProcessPointer& process : processes_) process->kill();
  watch_.forget_after(store_.lose_last(static_cast<std::size_t>(faults_.below(4))),
                      Watch::Effects::forgiven);
  for (int i = 0; i < options_.processes; ++i) {
    at(now_ + faults_.between(1, 5'000), kWorld, [this] { start_process(); });
  }
}

// --- people ------------------------------------------------------------------------------------

void World::people() {
  at(now_ + faults_.between(50, 1'500), kWorld, [this] { people(); });
  answer_somebody();
  if (is_healed_) return;
  if (happens(Feature::cancel, 200)) cancel_somebody();
  if (happens(Feature::send, 200)) send_to_somebody();
  if (happens(Feature::steer, 500)) steer_somebody();
}

void World::answer_somebody() {
  auto waits = store_.truth().get_waits({});
  if (!waits) return;
  const bool is_second = happens(Feature::second_answer, 300);
  std::erase_if(*waits, [&](const StoredWait& wait) {
    return ignores(wait.id) || (wait.status != WaitStatus::open && !is_second);
  });
  if (waits->empty()) return;
  const StoredWait& wait = faults_.one_of(*waits);
  Json answer =
      static_cast<std::int64_t>(mixed({options_.seed, static_cast<std::uint64_t>(wait.id)}) >> 16U);
  if (wait.kind == WaitKind::approval) {
    answer = JsonObject{{"decision", faults_.chance(700) ? "once" : "refuse"}};
  }
  const auto processes = alive();
  if (processes.empty() || faults_.chance(300)) {
    (void)store_.answer_wait(wait.id, {.answer = answer, .answered_by = "somebody elsewhere"});
    return;
  }
  const auto process = faults_.one_of(processes);
  at(now_, process->owner(), [process, id = wait.id, answer] { process->answer(id, answer); });
}

void World::cancel_somebody() {
  const auto sessions = store_.truth().list_sessions({.limit = kNoLimit});
  if (!sessions || sessions->empty()) return;
  const SessionId id = faults_.one_of(*sessions).id;
  note("cancel", id);
  const auto processes = alive();
  if (processes.empty() || faults_.chance(300)) {
    (void)store_.request_cancel(id, "Somebody elsewhere said so");
    return;
  }
  const auto process = faults_.one_of(processes);
  at(now_, process->owner(), [process, id] { process->cancel(id); });
}

void World::send_to_somebody() {
  auto sessions = store_.truth().list_sessions({.is_root = true, .limit = kNoLimit});
  if (!sessions) return;
  std::erase_if(*sessions, [](const Session& session) { return !session.ended_at; });
  if (sessions->empty()) return;
  const Session& session = faults_.one_of(*sessions);
  const auto number = Workload::number_in(session.user_prompt).value_or(1);
  const auto processes = alive();
  if (processes.empty() || faults_.chance(500)) {
    (void)store_.apply_one(
        Enqueue{.session_id = session.id, .message = Message::user(Workload::prompt_of(number))});
    return;
  }
  const auto process = faults_.one_of(processes);
  at(now_, process->owner(), [process, id = session.id, number] { process->send(id, number); });
}

// Stored first, as a runtime does it; whether anybody who drives the session hears of it at once is
// another matter.
void World::steer_somebody() {
  auto sessions = store_.truth().list_sessions({.is_root = true, .limit = kNoLimit});
  if (!sessions) return;
  std::erase_if(*sessions, [](const Session& session) { return session.ended_at.has_value(); });
  if (sessions->empty()) return;
  const SessionId id = faults_.one_of(*sessions).id;
  session::Said said{.key = fmt::format("{}/{:08}", id, ++last_said_)};
  said.message = Message::user(said_token(last_said_));
  note("steer", id, last_said_);
  // Whoever drives it now, and not whoever does so by the time that they hear of it.
  std::vector<std::pair<OwnerId, std::weak_ptr<runtime::TreeDriver>>> drivers;
  for (const auto& process : alive()) {
    if (auto driver = process->driver_of(id)) drivers.emplace_back(process->owner(), driver);
  }
  const bool is_stored = store_
                             .apply_one(PutRecord{.kind = std::string(kSaidRecords),
                                                  .key = said.key,
                                                  .value = to_json(said.message),
                                                  .due_at = last_said_,
                                                  .session_id = id})
                             .has_value();
  if (!is_stored || faults_.chance(300)) return;
  for (const auto& [owner, weak] : drivers) {
    at(now_ + store_delay(), owner, [weak, said] {
      if (const auto driver = weak.lock()) driver->said(said);
    });
  }
}

}  // namespace wright::simulation
