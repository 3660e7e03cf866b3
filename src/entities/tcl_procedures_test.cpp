#include "entities/tcl_procedures.h"

#include <gtest/gtest.h>

namespace wright::entities {
namespace {

TEST(TclProcedures, end_where_tcl_ends_them_and_are_all_there) {
  constexpr std::string_view kText =
      "proc first {x} {\n  set y \"\\{\"\n}\nproc second {a {b 1}} {\n  return $a\n}\n"
      "proc third {} \\\n{\n  return 3\n}\nproc open {} {\n";
  const SourceLines lines(kText);
  // As ctags has it: one procedure up to the end of the file.
  std::vector<CodeEntity> entities(1);
  entities[0].name = "first";
  entities[0].type = "function";
  entities[0].start_line = 1;
  entities[0].end_line = 11;
  correct_tcl_procedures(entities, lines);
  ASSERT_EQ(entities.size(), 4U);
  EXPECT_EQ(entities[0].end_line, 3);
  EXPECT_EQ(entities[1].name, "second");
  EXPECT_EQ(entities[1].start_line, 4);
  EXPECT_EQ(entities[1].end_line, 6);
  EXPECT_EQ(entities[2].end_line, 10);
  EXPECT_EQ(entities[3].name, "open");
  EXPECT_EQ(entities[3].end_line, 11);
}

}  // namespace
}  // namespace wright::entities
