#include "offline/source_text.h"

#include <gtest/gtest.h>

#include "offline/wording.h"

namespace wright::offline {
namespace {

TEST(SourceText, finds_the_comment_and_the_end_of_a_definition) {
  const std::string text =
      "int other;\n\n/* Adds two numbers.\n * Never overflows. */\nstatic int\nadd(int a, int "
      "b)\n{\n"
      "  if (a) {\n  }\n  return a + b;\n}\n\nint next;\n";
  const auto lines = split_lines(text);
  EXPECT_EQ(start_with_comment(Family::c, lines, 5), 2U);
  EXPECT_EQ(end_of_definition(Family::c, lines, 5), 10U);
  EXPECT_EQ(comment_of(Family::c, lines, 5), "Adds two numbers. Never overflows.");
}

TEST(SourceText, ends_python_by_indentation_and_reads_docstrings) {
  const std::string text =
      "@cached\ndef load(path,\n         mode):\n    \"\"\"Loads a file.\n\n    Or fails.\"\"\"\n  "
      "  return 1\n\n"
      "x = 2\n";
  const auto lines = split_lines(text);
  EXPECT_EQ(start_with_comment(Family::python, lines, 1), 0U);
  EXPECT_EQ(end_of_definition(Family::python, lines, 1), 6U);
  EXPECT_EQ(comment_of(Family::python, lines, 1), "Loads a file.\nOr fails.");
}

TEST(SourceText, follows_macros_over_their_lines) {
  const std::string text = "#define TWO(a) \\\n  do { a; \\\n  } while (0)\nint x;\n";
  EXPECT_EQ(end_of_definition(Family::c, split_lines(text), 0), 2U);
}

TEST(SourceText, takes_the_opening_after_the_licence) {
  const std::string text =
      "/* Copyright 2020 Somebody. All rights reserved. */\n#include <a.h>\n// Parses the "
      "configuration file.\nint x;\n";
  EXPECT_EQ(opening_of(Family::c, split_lines(text)), "Parses the configuration file.");
  const std::string prose = "# Title\n\n[![badge](x)](y)\n\nA tool for\nparsing.\n\n## More\n";
  EXPECT_EQ(opening_of(Family::prose, split_lines(prose)), "A tool for parsing.");
}

TEST(SourceText, lists_imports) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(imports_of(Family::c, {"#include <a.h>", "# include \"b/c.h\"", "int x;"}),
            (Names{"a.h", "b/c.h"}));
  EXPECT_EQ(imports_of(Family::python, {"from os.path import join", "import re"}),
            (Names{"os.path", "re"}));
  EXPECT_EQ(imports_of(Family::script, {"import x from './x.js'", "const fs = require('fs')"}),
            (Names{"./x.js", "fs"}));
}

}  // namespace
}  // namespace wright::offline
