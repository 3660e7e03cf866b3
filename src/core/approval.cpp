// Approvals and other waits, as tools and interceptors use them.
#include "wright/people.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <iterator>

#include "core/enum_names.h"
#include "core/json_members.h"
#include "wright/tool.h"

namespace wright {

WRIGHT_ENUM(Decision, once, session, refuse, never)
WRIGHT_ENUM(WaitKind, question, approval, result)
WRIGHT_ENUM(Settlement, done, failed, retry)

namespace {

bool allows(Decision decision) {
  return decision == Decision::once || decision == Decision::session;
}

std::unexpected<Error> refused(std::string_view tool, std::string_view reason) {
  return refused_by_person(
      reason.empty() ? fmt::format("A person refused this call of {}. Do not repeat it", tool)
                     : fmt::format("A person refused this call of {}: {}", tool, reason));
}

}  // namespace

std::unexpected<Error> refused_by_person(std::string message) {
  return fail(ErrorCode::permission_denied, std::move(message), {{"refused_by", "person"}});
}

bool is_refused_by_person(const Error& error) {
  const Json* by = member(error.detail, "refused_by");
  return by != nullptr && *by == "person";
}

std::string_view to_string(Settlement settlement) {
  return enum_name(settlement);
}

Result<Settlement> settlement_from(std::string_view name) {
  if (const auto settlement = enum_named<Settlement>(name)) return *settlement;
  return fail(ErrorCode::invalid_argument,
              fmt::format("'{}' settles nothing: say done, failed or retry", name));
}

std::string_view to_string(Decision decision) {
  return enum_name(decision);
}

Json to_json(const Approval& approval) {
  return {{"decision", to_string(approval.decision)}, {"reason", approval.reason}};
}

Result<Decision> decision_from(std::string_view name) {
  if (const auto decision = enum_named<Decision>(name)) return *decision;
  return fail(ErrorCode::invalid_argument,
              fmt::format("'{}' is not a decision: say {}", name, enum_names<Decision>()));
}

std::string_view to_string(WaitKind kind) {
  return enum_name(kind);
}

Result<WaitKind> wait_kind_from(std::string_view name) {
  if (const auto kind = enum_named<WaitKind>(name)) return *kind;
  return fail(ErrorCode::invalid_argument, fmt::format("Unknown kind of wait '{}'", name));
}

int RunMemory::add_one(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(name);
  return found != counts_.end() ? ++found->second : ++counts_[std::string(name)];
}

void RunMemory::forget(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (const auto found = counts_.find(name); found != counts_.end()) counts_.erase(found);
}

void RunMemory::decide(std::string_view kind, Decision decision) {
  const std::lock_guard lock(mutex_);
  decisions_.insert_or_assign(std::string(kind), decision);
}

std::optional<Decision> RunMemory::decided(std::string_view kind) const {
  const std::lock_guard lock(mutex_);
  const auto found = decisions_.find(kind);
  if (found == decisions_.end()) return std::nullopt;
  return found->second;
}

namespace {

// What a person was shown of a call beside its arguments, which cannot change.
struct ShownFact {
  std::string_view key;
  std::string_view if_changed;
};

constexpr std::string_view kChangesElse = "What it would change is no longer what you approved";

constexpr ShownFact kShownFacts[] = {
    {"folder", "It would run in another folder than the one that you approved it for"},
    {"diff", kChangesElse},
    {"whole_diff", kChangesElse},
    {"problem", kChangesElse},
    {"whole", kChangesElse},
    {"definition",
     "The tool is no longer the one that you approved: what it says of itself has changed"}};

// A fact that is there only now, or was there only then, is another one, too: what would change
// nothing when it was approved may change something since.
bool is_same(const Json* now, const Json* then) {
  return now == nullptr || then == nullptr ? now == then : *now == *then;
}

// What an approval was given for is what runs: a file that has changed since makes another diff,
// and a tool may have become another one. Nothing: it is the same.
std::optional<std::string_view> difference(const JsonObject& shown, const Json& approved) {
  if (!approved.is_object()) return std::nullopt;  // nobody was shown anything
  const auto changed = std::ranges::find_if(kShownFacts, [&](const ShownFact& fact) {
    return !is_same(shown.if_contains(fact.key), member(approved, fact.key));
  });
  if (changed == std::end(kShownFacts)) return std::nullopt;
  return changed->if_changed;
}

}  // namespace

std::optional<Result<ToolReply>> unless_approved(const Context& context, std::string_view tool,
                                                 JsonObject shown, std::vector<std::string> kinds) {
  const auto has = [&](const std::string& kind, Decision decision) {
    return context.memory->decided(kind) == decision;
  };
  const bool is_refused = context.memory && std::ranges::any_of(kinds, [&](const auto& kind) {
                            return has(kind, Decision::never);
                          });
  const bool is_allowed =
      context.memory && !kinds.empty() && std::ranges::all_of(kinds, [&](const auto& kind) {
        return has(kind, Decision::session);
      });
  if (const auto& approval = context.answers.approval) {
    if (!allows(approval->decision)) return refused(tool, approval->reason);
    if (is_refused) return refused(tool, {});
    const auto why = difference(shown, context.answers.approved);
    // Who has allowed all such calls is not asked about each of them.
    if (!why || is_allowed) return std::nullopt;
    shown["reason"] = *why;
    return Waiting{
        .kind = WaitKind::approval, .shown = std::move(shown), .covers = std::move(kinds)};
  }
  if (context.memory && !kinds.empty()) {
    if (is_refused) return refused(tool, {});
    if (is_allowed) return std::nullopt;
  }
  return Waiting{.kind = WaitKind::approval, .shown = std::move(shown), .covers = std::move(kinds)};
}

}  // namespace wright
