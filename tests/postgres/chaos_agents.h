// What the sessions of the chaos are: the office, somebody who asks a person, and somebody who ends
// only when it is cancelled. Their tools leave evidence in the ledger.
#pragma once

#include <map>
#include <string>

#include "faults/office.h"

namespace wright::faults {

inline constexpr const char* kChief = "chief";
inline constexpr const char* kAsker = "asker";
inline constexpr const char* kDoomed = "doomed";

using Agents = std::map<std::string, AgentPointer, std::less<>>;
Agents make_agents(const Ledger& ledger, Moments& moments);

}  // namespace wright::faults
