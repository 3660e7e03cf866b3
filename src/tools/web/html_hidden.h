// Whether nobody sees an element of a page. Text that a reader of the page would not see must not
// reach a model, because hiding it there is how pages try to instruct one. Looks at an element and
// its own style; knows no style sheets.
#pragma once

#include <gumbo.h>

namespace wright::tools {

// `hidden`, a dialog that is not open, or a style that makes the element invisible, of no size, or
// moves it off the page. Of two declarations that contradict each other, the one that hides counts.
bool is_hidden(const GumboElement& element);

}  // namespace wright::tools
