// How much memory SQLite uses.
#pragma once

#include <cstdint>

namespace wright::sqlite {

// SQLite counts for all threads together, behind a lock that every allocation takes. A program that
// has SQLite to itself can have it counted by thread instead. False: SQLite is in use already, and
// stays as it is.
bool count_memory_by_thread();

// The bytes that this thread has allocated and not freed, below zero where it frees for others; those
// of all threads where it is not counted by thread. Only the difference of two says something.
std::int64_t memory_in_use();

}  // namespace wright::sqlite
