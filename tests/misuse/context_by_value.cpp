// expect: wright::Context& may follow it
#include "wright/wright.h"

wright::Tool made() {
  return wright::tool("where", "Which session this is",
                      [](wright::Context context) { return context.session_id; });
}
