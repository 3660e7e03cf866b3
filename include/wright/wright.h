// Everything a program needs to build and run agents.
#pragma once

#include "wright/detail/language.h"
#include "wright/detail/misuse.h"
// The others need it.
#include "wright/agent.h"          // IWYU pragma: export
#include "wright/agent_file.h"     // IWYU pragma: export
#include "wright/agents.h"         // IWYU pragma: export
#include "wright/describe.h"       // IWYU pragma: export
#include "wright/driver.h"         // IWYU pragma: export
#include "wright/entities.h"       // IWYU pragma: export
#include "wright/feedback.h"       // IWYU pragma: export
#include "wright/interceptors.h"   // IWYU pragma: export
#include "wright/log.h"            // IWYU pragma: export
#include "wright/models.h"         // IWYU pragma: export
#include "wright/offline.h"        // IWYU pragma: export
#include "wright/requirements.h"   // IWYU pragma: export
#include "wright/resume.h"         // IWYU pragma: export
#include "wright/run.h"            // IWYU pragma: export
#include "wright/runtime.h"        // IWYU pragma: export
#include "wright/specialist.h"     // IWYU pragma: export
#include "wright/sqlite_reader.h"  // IWYU pragma: export
#include "wright/store.h"          // IWYU pragma: export
#include "wright/tools.h"          // IWYU pragma: export
#include "wright/two_phase.h"      // IWYU pragma: export
#include "wright/typed_answer.h"   // IWYU pragma: export
#include "wright/version.h"        // IWYU pragma: export
#include "wright/web.h"            // IWYU pragma: export
