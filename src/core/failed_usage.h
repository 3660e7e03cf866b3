// What a vendor has counted of requests that came to nothing. It stands in the error's detail, so
// that it is part of what a run has used.
#pragma once

#include "wright/message.h"

namespace wright {

// As it is where nothing was counted.
Error with_usage(Error error, const Usage& usage);
// Nothing where it does not say.
Usage usage_in(const Error& error);

}  // namespace wright
