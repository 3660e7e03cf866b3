#include "simulation/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/said_messages.h"
#include "simulation/world.h"
#include "store/status.h"

namespace wright::simulation {
namespace {

using runtime::Ending;

constexpr std::int64_t kLook = 1'000;
constexpr int kTries = 5;
constexpr std::int64_t kBetweenTries = 500;

bool is_refused(const Result<BatchIds>& result) {
  return !result && result.error().code == ErrorCode::unavailable;
}

bool is_worth_another_try(const Result<BatchIds>& result) {
  return is_refused(result) && result.error().find("lease_epoch") == nullptr &&
         result.error().find("runner_id") == nullptr;
}

}  // namespace

class Process::Loading {
 public:
  explicit Loading(Process& process) : process_(process) {
    process_.is_loading_ = true;
    process_.loading_depth_ = process_.world_.depth();
  }
  ~Loading() { process_.is_loading_ = false; }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

 private:
  Process& process_;
};

Process::Process(World& world, OwnerId owner) : world_(world), owner_(owner), host_(world, *this) {}

// --- its registration --------------------------------------------------------------------------

void Process::begin() {
  const std::int64_t before = world_.now();
  const auto id = world_.store().register_runner(
      fmt::format("process {}", owner_), std::chrono::milliseconds(world_.options().lease_ms));
  if (!id) {
    world_.at(world_.now() + kLook, owner_, [this] { begin(); });
    return;
  }
  runner_ = *id;
  certain_until_ = before + world_.options().lease_ms * 9 / 10;
  world_.at(world_.now() + kLook, owner_, [this] { look(); });
  world_.at(world_.now() + world_.faults().below(kLook), owner_, [this] { poll(); });
}

bool Process::is_loading_here() const {
  return is_loading_ && loading_depth_ == world_.depth();
}

bool Process::is_certain() const {
  return world_.has(Plant::unfenced_calls) || world_.now() < certain_until_;
}

bool Process::is_lease_certain(std::int64_t since) const {
  if (world_.has(Plant::unfenced_calls)) return true;
  const bool was_certain = since >= certain_since_ || world_.has(Plant::certain_after_sleep);
  if (!was_certain) world_.reach("a call was fenced after a sleep");
  return is_certain() && was_certain;
}

// Tried until the store takes it.
void Process::release(SessionId session, int epoch) {
  if (!world_.has(Plant::kept_lease))
    to_release_.emplace_back(ReleaseLease{session, *runner_, epoch});
}

void Process::renewed(std::int64_t asked_at) {
  // It is certain from now on: what was in between nobody knows.
  if (world_.now() >= certain_until_) certain_since_ = world_.now();
  if (world_.has(Plant::late_certainty)) asked_at = world_.now();
  certain_until_ = asked_at + world_.options().lease_ms * 9 / 10;
}

bool Process::renew() {
  const std::int64_t before = world_.now();
  auto done =
      world_.store().renew_runner(*runner_, std::chrono::milliseconds(world_.options().lease_ms));
  if (!done) return false;
  renewed(before);
  return true;
}

void Process::look() {
  world_.at(world_.now() + std::min(kLook, world_.options().lease_ms / 3), owner_,
            [this] { look(); });
  // The question and its answer take their time.
  if (certain_until_ - world_.now() < world_.options().lease_ms * 2 / 3) {
    world_.at(world_.now() + world_.store_delay(), owner_, [this, before = world_.now()] {
      const bool is_done =
          world_.store()
              .renew_runner(*runner_, std::chrono::milliseconds(world_.options().lease_ms))
              .has_value();
      if (!is_done) return;
      world_.at(world_.now() + world_.store_delay(), owner_, [this, before] { renewed(before); });
    });
  }
  if (!to_release_.empty() && world_.store().apply(to_release_)) {
    world_.reach("a session was released by a driver that lost it");
    to_release_.clear();
  }
  const auto news = world_.store().get_news(*runner_);
  if (!news) return;
  for (const DrivenPointer& each : std::vector(driven_)) {
    for (const CancelWish& wish : news->cancelled)
      each->driver->cancel(wish.session_id, wish.reason);
    for (const StoredWait& wait : news->answered) each->driver->answered(wait);
  }
  for (const SessionId id : news->spoken_to) {
    const auto driver = driver_of(id);
    const auto said = driver ? runtime::said_to(world_.store(), id) : std::vector<session::Said>();
    if (!said) continue;
    for (const session::Said& each : *said) driver->said(each);
  }
}

std::shared_ptr<runtime::TreeDriver> Process::driver_of(SessionId root) const {
  for (const DrivenPointer& each : driven_) {
    if (each->root == root) return each->driver;
  }
  return nullptr;
}

// --- what it writes ----------------------------------------------------------------------------

void Process::write(Batch batch, std::function<void(Result<BatchIds>)> done) {
  const auto kept = std::make_shared<const Batch>(std::move(batch));
  last_write_ = std::max(last_write_, world_.now() + world_.store_delay());
  if (world_.happens(Feature::server_applies, 300)) {
    // It has left the process: whatever becomes of that, the store deals with it.
    world_.at(last_write_, kWorld,
              [weak = weak_from_this(), &world = world_, kept, done, era = world_.era()] {
                if (era != world.era()) return;
                auto result = std::move(world.store().apply_all({kept.get(), 1}).front());
                const auto alive = weak.lock();
                if (alive && !alive->is_dead_) {
                  alive->reply(done, std::move(result));
                } else if (result) {
                  world.reach("a batch of a dead process was applied");
                }
              });
    return;
  }
  world_.at(last_write_, owner_, [this, kept, done] { apply(kept, done, 0); });
}

// As the registration of a process does it: renewed where it must be, and tried again.
void Process::apply(const std::shared_ptr<const Batch>& batch,
                    const std::function<void(Result<BatchIds>)>& done, int tried) {
  if (!is_certain()) (void)renew();
  auto result = std::move(world_.store().apply_all({batch.get(), 1}).front());
  if (is_refused(result) && tried == 0 && renew()) {
    result = std::move(world_.store().apply_all({batch.get(), 1}).front());
  }
  if (is_worth_another_try(result) && tried + 1 < kTries) {
    world_.at(world_.now() + kBetweenTries * (tried + 1), owner_,
              [this, batch, done, tried] { apply(batch, done, tried + 1); });
    return;
  }
  reply(done, std::move(result));
}

void Process::reply(std::function<void(Result<BatchIds>)> done, Result<BatchIds> result) {
  if (world_.has(Plant::acts_before_writing) && result) world_.unsafe_until(world_.now() + 400);
  world_.at(world_.now() + world_.store_delay(), owner_,
            [done = std::move(done), result = std::move(result)] { done(result); });
}

Result<BatchIds> Process::write_now(const Batch& batch) {
  if (!is_certain()) (void)renew();
  return std::move(world_.store().apply_all({&batch, 1}).front());
}

// --- looking for work --------------------------------------------------------------------------

void Process::poll() {
  if (is_draining_) return;
  world_.at(world_.now() + world_.faults().between(300, 2'000), owner_, [this] { poll(); });
  if (is_loading_) return;
  bury_the_dead();
  claim();
  if (is_dead_ || is_draining_) return;
  take_what_needs_a_driver();
  if (is_dead_ || is_draining_) return;
  go_on_with_what_was_said();
  if (is_dead_ || is_draining_) return;
  release_what_nobody_drives();
}

void Process::claim() {
  const auto claimed = world_.store().apply_one(Claim{.runner_id = *runner_, .most = 2});
  if (!claimed) return;
  for (const ClaimedSession& each : claimed->claimed) {
    world_.reach("a session was claimed from the queue");
    if (is_dead_) return;
    resume({.id = each.session_id, .held_epoch = each.epoch});
    if (world_.has(Plant::claimed_twice)) resume({.id = each.session_id, .held_epoch = each.epoch});
  }
}

void Process::take_what_needs_a_driver() {
  SessionFilter filter{.needs_driver = true, .limit = kNoLimit};
  if (world_.has(Plant::revived_end) && world_.faults().chance(100)) {
    filter = {.status = SessionStatus::cancelled, .is_root = true, .limit = kNoLimit};
  }
  const auto sessions = world_.store().list_sessions(filter);
  if (!sessions) return;
  for (const Session& session : *sessions) {
    if (is_dead_ || is_draining_) return;
    // A driver of its own that has lost the session and does not know it yet is no hindrance.
    const bool is_busy = drives(session.id) && !world_.faults().chance(300);
    if (is_busy || world_.faults().chance(300)) continue;
    resume({.id = session.id});
  }
}

// A session may have completed just before it was spoken to.
void Process::go_on_with_what_was_said() {
  const auto untaken = world_.store().get_records({.kind = std::string(kSaidRecords)});
  if (!untaken) return;
  for (const Record& each : *untaken) {
    if (is_dead_ || is_draining_) return;
    const SessionId id = each.session_id.value();
    const auto session = world_.store().get_session(id);
    if (!session || session->status != SessionStatus::completed || drives(id)) continue;
    world_.reach("a session went on with what was said");
    resume({.id = id, .takes_untaken = true});
  }
}

// A driver that is lost, or whose session may or may not have been created, leaves rows behind
// that this process holds and nobody drives.
void Process::release_what_nobody_drives() {
  const bool is_creating =
      std::ranges::any_of(driven_, [](const DrivenPointer& each) { return each->root == 0; });
  if (is_creating || world_.has(Plant::kept_lease)) return;
  const auto sessions = world_.store().list_sessions({.limit = kNoLimit});
  if (!sessions || is_dead_) return;
  std::vector<Write> writes;
  for (const Session& session : *sessions) {
    if (session.runner_id != runner_ || drives(session.id)) continue;
    writes.emplace_back(ReleaseLease{session.id, *runner_, session.lease_epoch});
  }
  if (writes.empty()) return;
  world_.reach("a session that nobody drove was released");
  (void)world_.store().apply(writes);
}

void Process::bury_the_dead() {
  const bool is_hasty = world_.has(Plant::hasty_burial) && world_.faults().chance(50);
  if (!is_hasty && !world_.happens(Feature::bury, 500)) return;
  const auto runners = world_.store().get_runners();
  if (!runners) return;
  for (const Runner& runner : *runners) {
    if (runner.id == *runner_ || (!is_hasty && world_.is_alive(runner.id))) continue;
    (void)world_.store().end_runner(runner.id);
  }
}

// --- driving -----------------------------------------------------------------------------------

session::TreeOptions Process::tree_options() const {
  return {.machine = {.has_store = true,
                      .parallel_calls = 3,
                      .grace = std::chrono::milliseconds(5'000)},
          .runner = runner_};
}

bool Process::drives(SessionId id) const {
  const SessionId root = world_.watch().root_of(id);
  return std::ranges::any_of(driven_,
                             [&](const DrivenPointer& each) { return each->root == root; });
}

void Process::start(std::int64_t number) {
  const auto agent = world_.workload().root_agent(number);
  const std::string prompt = Workload::prompt_of(number);
  NewSession session{.agent_name = agent->name,
                     .provider = agent->model.provider(),
                     .model = agent->model.name(),
                     .user_prompt = prompt};
  session::SessionTree tree(tree_options());
  tree.plant_new({.agent = agent}, wright::start(*agent, prompt), std::move(session));
  drive(std::move(tree), 0, {});
}

void Process::send(SessionId id, std::int64_t number) {
  runtime::ResumeRequest request{.id = id};
  request.said = Message::user(Workload::prompt_of(number));
  resume(std::move(request));
}

void Process::resume(runtime::ResumeRequest request) {
  const auto self = shared_from_this();
  if (is_loading_) return;
  const auto session = world_.store().truth().get_session(request.id);
  const auto number = session ? Workload::number_in(session->user_prompt) : std::nullopt;
  if (!number) return;
  if (world_.has(Plant::repeated_writes)) {
    const auto calls = world_.store().truth().get_tool_calls(request.id);
    for (const StoredCall& call : *calls)
      request.settlements[call.tool_call_id] = Settlement::retry;
  }
  if (world_.has(Plant::revived_end) && store::is_end(session->status)) {
    (void)world_.store().truth().apply_one(
        UpdateSession{.session_id = request.id, .status = SessionStatus::running});
  }
  std::optional<Result<runtime::LoadedTree>> loaded;
  {
    const Loading loading(*this);
    loaded =
        runtime::load_tree(host_, tree_options(), {.agent = world_.workload().root_agent(*number)},
                           world_.store(), request);
  }
  if (is_dead_ || !*loaded) return;
  world_.reach("a session was loaded");
  drive(std::move((*loaded)->tree), request.id, (*loaded)->cancelled);
}

void Process::drive(session::SessionTree tree, SessionId root,
                    const std::vector<CancelWish>& cancelled) {
  const auto driven = std::make_shared<Driven>();
  driven->root = root;
  driven->driver = std::make_shared<runtime::TreeDriver>(
      host_, &gate_, std::move(tree), Delivery::whole,
      runtime::DriverCallbacks{.created =
                                   [weak = std::weak_ptr(driven)](SessionId id) {
                                     const auto alive = weak.lock();
                                     if (!alive) return;
                                     if (alive->root == 0) alive->root = id;
                                   },
                               .ended =
                                   [this, weak = std::weak_ptr(driven)](const Ending& ending) {
                                     if (const auto alive = weak.lock()) ended(alive, ending);
                                   }});
  world_.watch_driver(driven->driver);
  driven_.push_back(driven);
  driven->driver->begin();
  for (const CancelWish& wish : cancelled) {
    if (!world_.has(Plant::dropped_cancel)) driven->driver->cancel(wish.session_id, wish.reason);
  }
  if (is_draining_) driven->driver->suspend();
}

void Process::ended(const DrivenPointer& driven, const Ending& ending) {
  static constexpr std::array<std::string_view, 6> kReached{
      "a session was completed", "a session failed",        "a session was cancelled",
      "a session waited",        "a session was suspended", "a driver lost its session"};
  world_.reach(kReached[static_cast<std::size_t>(ending.kind)]);
  std::erase(driven_, driven);
  if (is_draining_ && driven_.empty()) leave();
}

// --- what people ask of it ---------------------------------------------------------------------

void Process::cancel(SessionId id) {
  const auto self = shared_from_this();
  if (!world_.store().request_cancel(id, "Somebody said so")) return;
  if (world_.has(Plant::dropped_cancel)) return;
  if (drives(id)) {
    for (const DrivenPointer& each : std::vector(driven_))
      each->driver->cancel(id, "Somebody said so");
    return;
  }
  const auto session = world_.store().truth().get_session(id);
  if (is_loading_ || is_dead_ || session->parent_session_id || world_.faults().chance(500)) return;
  const Loading loading(*this);
  if (runtime::cancel_stored(host_, *runner_, world_.store(), id, "Somebody said so")) {
    world_.reach("a session that nobody drove was cancelled");
  }
}

void Process::answer(WaitId id, const Json& answer) {
  const auto wait = world_.store().answer_wait(id, {.answer = answer, .answered_by = "somebody"});
  if (!wait) return;
  for (const DrivenPointer& each : std::vector(driven_)) each->driver->answered(*wait);
}

// --- its end -----------------------------------------------------------------------------------

void Process::drain() {
  if (is_draining_ || is_dead_) return;
  is_draining_ = true;
  for (const DrivenPointer& each : std::vector(driven_)) each->driver->suspend();
  if (driven_.empty()) leave();
}

void Process::leave() {
  const auto self = shared_from_this();
  if (runner_) (void)world_.store().end_runner(*runner_);
  // Not here: this may be called by one of its drivers.
  world_.at(world_.now(), kWorld, [self] { self->kill(); });
}

void Process::kill() {
  if (is_dead_) return;
  is_dead_ = true;
  world_.forget_all_of(owner_);
  host_.clear();
  driven_.clear();
}

}  // namespace wright::simulation
