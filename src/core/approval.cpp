// Approvals and other waits, as tools and interceptors use them.
#include "wright/approval.h"

#include <fmt/format.h>

#include <algorithm>

#include "wright/tool.h"

namespace wright {
namespace {

constexpr std::array kDecisions{Decision::once, Decision::session, Decision::refuse,
                                Decision::never};

bool allows(Decision decision) {
  return decision == Decision::once || decision == Decision::session;
}

std::unexpected<Error> refused(const Context& context, std::string_view reason) {
  const std::string_view name =
      context.tool != nullptr ? std::string_view(context.tool->spec.name) : "this tool";
  return fail(ErrorCode::permission_denied,
              reason.empty()
                  ? fmt::format("A person refused this call of {}. Do not repeat it", name)
                  : fmt::format("A person refused this call of {}: {}", name, reason));
}

}  // namespace

std::string_view to_string(Decision decision) {
  switch (decision) {
    case Decision::once: return "once";
    case Decision::session: return "session";
    case Decision::refuse: return "refuse";
    case Decision::never: return "never";
  }
  return "refuse";
}

Result<Decision> decision_from(std::string_view name) {
  for (const Decision decision : kDecisions) {
    if (to_string(decision) == name) return decision;
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("'{}' is no decision: say once, session, refuse or never", name));
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

std::unexpected<Error> wait_for_person(const Json& shown) {
  return fail(ErrorCode::waiting, "A person has to answer first", to_text(shown));
}

Result<void> require_approval(const Context& context, JsonObject shown,
                              const std::vector<std::string>& kinds) {
  if (const auto& approval = context.answers.approval) {
    if (allows(approval->decision)) return {};
    return refused(context, approval->reason);
  }
  if (context.memory && !kinds.empty()) {
    const auto has = [&](const std::string& kind, Decision decision) {
      return context.memory->decided(kind) == decision;
    };
    if (std::ranges::any_of(kinds, [&](const auto& kind) { return has(kind, Decision::never); })) {
      return refused(context, {});
    }
    if (std::ranges::all_of(kinds,
                            [&](const auto& kind) { return has(kind, Decision::session); })) {
      return {};
    }
  }
  shown["kind"] = "approval";
  JsonArray& listed = (shown["kinds"] = JsonArray()).get_array();
  for (const std::string& kind : kinds) listed.emplace_back(kind);
  return wait_for_person(shown);
}

}  // namespace wright
