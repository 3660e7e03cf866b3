// The model of an agent in debug mode: takes the model's report out of its last answer, so that
// the run ends there and needs no further turn.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "wright/model.h"

namespace wright::feedback {

// Called with the text of a report, in any thread.
using OnReport = std::function<void(std::string)>;

Model reporting_model(Model model, OnReport on_report);

// Whether a model that gave its report instead of an answer is asked for the answer.
enum class Asking : std::uint8_t { no, once_more };

// What `response` is for the run. A report beside words and no other calls is taken out: those
// words are the answer. So is one in the text. A report in the text that is all there is becomes a
// call. Everything else stays, and goes the way of all calls.
void take_report(Response& response, const OnReport& on_report, Asking asking);

}  // namespace wright::feedback
