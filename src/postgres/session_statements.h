// The statements about whole sessions and who drives them; for statements.cpp alone.
#pragma once

#include <string>
#include <string_view>

#include "postgres/statements.h"

namespace wright::postgres {

// The session that a write is about: $1, or the one that the same transaction has just created.
inline constexpr std::string_view kTarget =
    "(SELECT coalesce($1::bigint, currval('@agent_sessions_id_seq')))";

// `statement` ends with RETURNING and must return a row; `columns` are those of it that are read,
// `more` are further expressions of the WITH.
std::string must_change(std::string_view statement, std::string_view columns = {},
                        std::string_view more = {});

std::string session_sql_of(Query query);
// About the paces that all processes keep to; empty for all others.
std::string permit_sql_of(Query query);

}  // namespace wright::postgres
