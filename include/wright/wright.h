// Everything a program needs to build and run agents.
#pragma once

#include "wright/detail/language.h"
#include "wright/detail/misuse.h"
#include "wright/detail/version.h"
// First: what follows needs the language.
#include "wright/agent.h"         // IWYU pragma: export
#include "wright/agents.h"        // IWYU pragma: export
#include "wright/context.h"       // IWYU pragma: export
#include "wright/driver.h"        // IWYU pragma: export
#include "wright/error.h"         // IWYU pragma: export
#include "wright/events.h"        // IWYU pragma: export
#include "wright/feedback.h"      // IWYU pragma: export
#include "wright/fitting.h"       // IWYU pragma: export
#include "wright/interceptors.h"  // IWYU pragma: export
#include "wright/json.h"          // IWYU pragma: export
#include "wright/log.h"           // IWYU pragma: export
#include "wright/message.h"       // IWYU pragma: export
#include "wright/model.h"         // IWYU pragma: export
#include "wright/models.h"        // IWYU pragma: export
#include "wright/people.h"        // IWYU pragma: export
#include "wright/postgres.h"      // IWYU pragma: export
#include "wright/requirements.h"  // IWYU pragma: export
#include "wright/run.h"           // IWYU pragma: export
#include "wright/runtime.h"       // IWYU pragma: export
#include "wright/schema.h"        // IWYU pragma: export
#include "wright/store.h"         // IWYU pragma: export
#include "wright/store_writes.h"  // IWYU pragma: export
#include "wright/tool.h"          // IWYU pragma: export
#include "wright/tools.h"         // IWYU pragma: export
