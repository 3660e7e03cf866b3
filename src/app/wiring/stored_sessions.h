// The sessions that are stored, for commands that look at many of them. Changes nothing.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "wright/store.h"

namespace wright::app {

struct Selection {
  std::optional<std::string> agent;
  std::optional<std::string> since;  // as moment_from() reads it
  std::optional<std::string> tenant = {};
};
using Visit = std::function<void(const Session&, std::span<const StoredCall>)>;

// Every session of the selection with its calls, newest first. None without a database. Gives those
// that cannot be read, or whose calls cannot: see SessionFilter::keeps_damaged.
Result<std::vector<Session>> visit_sessions(const Settings& settings, const Selection& selection,
                            const Visit& visit);

// Figures of every session of the selection. None without a database.
Result<StoreStats> stored_stats(const Settings& settings, const Selection& selection);

}  // namespace wright::app
