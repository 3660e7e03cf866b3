// What a change_journal.h may be called. More than one name, because a folder may come with a file
// of such a name that is no journal of ours.
#pragma once

#include <array>
#include <string>

namespace wright::tools {

inline const std::array<std::string, 4> kJournalNames{
    ".wright-journal.tmp", ".wright-journal-2.tmp", ".wright-journal-3.tmp",
    ".wright-journal-4.tmp"};

}  // namespace wright::tools
