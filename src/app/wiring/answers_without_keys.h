// A store that keeps no keys of vendors in what people answer, whichever way an answer comes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wright/store.h"

namespace wright::app {

// [REDACTED] stands in its answers where a person typed one of the keys. Null stays null.
std::unique_ptr<Store> answers_without_keys(std::unique_ptr<Store> store,
                                            std::vector<std::string> keys);

}  // namespace wright::app
