// What only the data tell about a question: which column has a word as a value, whether texts are
// numbers or dates, and which rows the figures leave out. Answers nothing itself.
#pragma once

#include <string>

#include "offline/database_outline.h"
#include "offline/database_prompt.h"
#include "offline/investigation.h"

namespace wright::offline {

// Words that nothing else explains may be values: "customers from France". One that a single column
// has becomes a condition. Nothing is changed while waiting; what is in no column stays.
void find_values(DatabasePrompt& question, const DatabaseOutline& outline, Investigation& look);

struct DataChecks {
  std::string problem;  // why the data do not allow an answer; empty when they do
  std::string notes;    // the sentences that the answer must have beside its figures
};

// Not to be used while waiting. Notes which columns have numbers as text.
DataChecks check_data(DatabasePrompt& question, Investigation& look);

}  // namespace wright::offline
