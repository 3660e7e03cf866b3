// The model of an agent in debug mode: takes the model's report out of its last response, so that
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

// What the run sees of `response`. A report next to text and no other calls is removed: the text is
// the answer. So is a report inside the text. A report that is the whole text becomes a call.
// Everything else stays and is handled like any call.
void take_report(Response& response, const OnReport& on_report, Asking asking);

}  // namespace wright::feedback
