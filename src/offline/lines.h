// Lines of files that have a text, found by grep: what stands in for a definition where nothing
// knows one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "offline/index.h"
#include "offline/investigation.h"
#include "offline/markdown.h"
#include "offline/parsed_prompt.h"

namespace wright::offline {

// "open" of "Store::open".
std::string last_part(std::string_view name);

// " below `folder`" for an answer, where the question names one.
std::string folder_phrase(const ParsedPrompt& question);

// A search limited to the folder or file that the question names.
GrepRequest in_scope(const ParsedPrompt& question, std::string pattern);

// A search that also looks into what grep leaves out as hidden. What is left out still, it counts:
// a plan that says "nothing" adds not_searched(). While waiting, what is known already.
Matches grep_with_hidden(const GrepRequest& wanted, Investigation& look);

// " Not searched: what .gitignore names (2 entries)…"; empty when all was searched.
std::string not_searched(const Matches& found);

// Whether a line of code looks as if it defined the name: what backs a claim that something is
// nowhere defined, since the index does not know what ctags cannot read.
bool looks_defining(const Match& match, const std::string& name);

// "12 lines in 3 files"
std::string mention_count(const Matches& found);

// Those of files that a search found first, then those in sources; tests and generated files last.
void add_lines(AnswerText& answer, const Matches& found, std::size_t most,
               const Entities& near = {});

// The answer where there is no index: nobody can tell a definition from a use.
std::string by_lines(const ParsedPrompt& question, Investigation& look);

}  // namespace wright::offline
