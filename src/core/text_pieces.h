// What a message or a response says, told in pieces as a model that streams would tell it.
#pragma once

#include <cstddef>
#include <vector>

#include "wright/model.h"

namespace wright {

// Together the pieces are Response::text(). The first `skipped` bytes of it are left out.
void tell_texts(const std::vector<Part>& parts, const TextSink& on_text, std::size_t skipped = 0);

}  // namespace wright
