// A recorded session as a file: a test that anybody can run without a model, a key or a network.
#pragma once

#include <string>
#include <string_view>

#include "wright/replay.h"

namespace wright {

inline constexpr int kCassetteVersion = 2;

// {"format": "wright-cassette", "version": 2, "session": {…}}, indented, with secrets hidden. See
// docs/replay.md.
std::string cassette_text(const RecordedSession& recorded, const Redactor& redactor);

// Refuses what is no cassette, a newer version, an unknown key and a record that cannot be
// replayed; the error names the place ("session.messages[3]").
Result<RecordedSession> cassette_from(std::string_view text);

}  // namespace wright
