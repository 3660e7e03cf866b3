// HTTP traffic as text for people: who said what, exchange by exchange.
#pragma once

#include <functional>
#include <string_view>

#include "net/http_client.h"

namespace wright::models {

std::function<void(const net::HttpTraceEvent&)> trace_as_text(
    std::function<void(std::string_view)> write);

}  // namespace wright::models
