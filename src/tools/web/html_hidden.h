// Which parts of a page nobody sees: hidden elements and what is inside of them. Text that a reader
// of the page would not see must not reach a model, because hiding it there is how pages try to
// instruct one. Looks at tags and their own styles; knows no style sheets.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/web/html_tokens.h"

namespace wright::tools {

// Whether the attributes of a start tag hide the element: `hidden`, or a style that makes it
// invisible, of no size, or moves it off the page.
bool is_hidden(const HtmlToken& tag);

class HiddenParts {
 public:
  // Whether the token, the next of the page, is inside of something that is left out.
  bool contains(const HtmlToken& token);

 private:
  bool goes_on_with(const HtmlToken& token);
  bool ends_before(const HtmlToken& token) const;
  void note(const HtmlToken& token);

  std::string element_;  // that is being left out; empty: none
  int depth_ = 0;        // of elements with the same name inside
  std::vector<std::string>
      inside_;  // containers opened within, for elements that end by themselves
  std::map<std::string, int, std::less<>> around_;  // containers that are open around it
};

}  // namespace wright::tools
