#include "entities/block_ends.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace wright::entities {
namespace {

// Where what is called `name`, on `line`, ends; `next` is the line of the next definition.
int end_of(std::string_view language, std::string_view text, std::string_view name, int line,
           int next = 0) {
  const SourceLines lines(text);
  const BlockEnds blocks(text, lines, language);
  return blocks.end_of(name, line, next == 0 ? lines.count() + 1 : next);
}

TEST(BlockEnds, are_found_past_strings_comments_and_templates) {
  constexpr std::string_view kTypeScript =
      "class Foo {\n"                                    // 1
      "  go(a: string): { b: number } {\n"               // 2
      "    const s = `a ${ {x: '}'}.x } }`; // }\n"      // 3
      "    /* } */ const r = /[}\\/]}/g.test(\"}\");\n"  // 4
      "    return { b: 1 / 2 };\n"                       // 5
      "  }\n"                                            // 6
      "}\n"                                              // 7
      "const arrow = (x: number) => {\n"                 // 8
      "  return x;\n"                                    // 9
      "};\n"                                             // 10
      "const plain = 5\n"                                // 11
      "type T = { a: number };\n";                       // 12
  EXPECT_EQ(end_of("TypeScript", kTypeScript, "Foo", 1, 2), 7);
  EXPECT_EQ(end_of("TypeScript", kTypeScript, "go", 2, 3), 6);
  EXPECT_EQ(end_of("TypeScript", kTypeScript, "arrow", 8, 11), 10);
  EXPECT_EQ(end_of("TypeScript", kTypeScript, "plain", 11, 12), 11);
  EXPECT_EQ(end_of("TypeScript", kTypeScript, "T", 12), 12);
}

TEST(BlockEnds, statements_of_go_end_with_their_line) {
  constexpr std::string_view kGo =
      "var Closed = errors.New(\"closed\")\n"  // 1
      "var plain = 5\n"                        // 2
      "const (\n"                              // 3
      "\tsize = 1\n"                           // 4
      ")\n"                                    // 5
      "var sum = one() +\n"                    // 6
      "\ttwo(\n"                               // 7
      "\t\t3)\n"                               // 8
      "func f() (int, error) {\n"              // 9
      "\treturn 1, nil\n"                      // 10
      "}\n";                                   // 11
  EXPECT_EQ(end_of("Go", kGo, "Closed", 1, 4), 1);
  EXPECT_EQ(end_of("Go", kGo, "plain", 2, 4), 2);
  EXPECT_EQ(end_of("Go", kGo, "sum", 6, 9), 8);
  EXPECT_EQ(end_of("Go", kGo, "f", 9), 11);
}

TEST(BlockEnds, know_lifetimes_and_raw_strings_of_rust) {
  constexpr std::string_view kRust =
      "pub fn first<'a>(x: &'a str) -> &'a str {\n"  // 1
      "    let c = '}'; let d = '\\'';\n"            // 2
      "    let s = r#\"} \" }\"#;\n"                 // 3
      "    /* outer /* } */ } */\n"                  // 4
      "    x\n"                                      // 5
      "}\n"                                          // 6
      "struct Unit;\n"                               // 7
      "struct Pair(i32, i32);\n"                     // 8
      "impl<T> Foo for Bar<T>\n"                     // 9
      "where\n"                                      // 10
      "    T: Clone,\n"                              // 11
      "{\n"                                          // 12
      "}\n";                                         // 13
  EXPECT_EQ(end_of("Rust", kRust, "first", 1, 7), 6);
  EXPECT_EQ(end_of("Rust", kRust, "Unit", 7, 8), 7);
  EXPECT_EQ(end_of("Rust", kRust, "Pair", 8, 9), 8);
  EXPECT_EQ(end_of("Rust", kRust, "Bar", 9), 13);
}

TEST(BlockEnds, know_the_shell_kotlin_php_and_lua) {
  EXPECT_EQ(end_of("Sh",
                   "f() {\n  case x in\n    a) echo \"}\" ;;\n  esac\n  echo ${x:-${y}} # }\n"
                   "  cat <<EOT\n}\nEOT\n  echo '}'\n}\ng() { :; }\n",
                   "f", 1, 11),
            10);
  EXPECT_EQ(
      end_of("Kotlin", "class A(val x: Int)\n\nclass B {\n  val s = \"\"\"}\"\"\"\n}\n", "A", 1, 3),
      1);
  EXPECT_EQ(
      end_of("Kotlin", "class A(val x: Int)\n\nclass B {\n  val s = \"\"\"}\"\"\"\n}\n", "B", 3),
      5);
  EXPECT_EQ(end_of("Kotlin", "fun top() = 5\nfun other() {\n}\n", "top", 1, 2), 1);
  EXPECT_EQ(
      end_of("PHP", "<?php\nfunction f() {\n  $x = '}'; # }\n  echo <<<EOT\n}\nEOT;\n}\n", "f", 2),
      7);
  EXPECT_EQ(end_of("Lua",
                   "function f(a)\n  if a then\n    for i = 1, 2 do\n      print('end')\n    end\n"
                   "  end -- end\n  repeat\n    a = [[ end ]]\n  until true\nend\nlocal x = 1\n",
                   "f", 1, 11),
            10);
}

TEST(BlockEnds, stay_within_bounds_for_broken_text) {
  EXPECT_EQ(end_of("TypeScript", "function f() {\n  return (\n", "f", 1), 1);
  EXPECT_EQ(end_of("TypeScript", "function f(\n", "f", 1), 1);
  EXPECT_EQ(end_of("Rust", "fn f() }\n", "f", 1), 1);
  EXPECT_EQ(end_of("JavaScript", "function f() { `${ {", "f", 1), 1);
  EXPECT_EQ(end_of("JavaScript", "", "f", 1), 1);
  EXPECT_EQ(end_of("Sh", "f() { cat <<EOT\n", "f", 1), 1);
}

TEST(BlockEnds, never_leave_a_random_text) {
  std::mt19937 random(3);
  constexpr std::string_view kLetters = "{}()[]'\"`/\\*#$<rfEOT \n;=>-.";
  for (const char* language : {"JavaScript", "TypeScript", "Rust", "PHP", "Kotlin", "Sh", "Lua",
                               "Perl", "R", "Awk", "Haxe"}) {
    ASSERT_TRUE(BlockEnds::knows(language)) << language;
    for (int round = 0; round < 200; ++round) {
      std::string text;
      for (std::size_t i = 0, size = random() % 300; i < size; ++i) {
        text += kLetters[random() % kLetters.size()];
      }
      const SourceLines lines(text);
      const BlockEnds blocks(text, lines, language);
      for (int line = 1; line <= lines.count(); ++line) {
        const int end = blocks.end_of("f", line, lines.count() + 1);
        EXPECT_GE(end, line) << language << ": " << text;
        EXPECT_LE(end, lines.count()) << language << ": " << text;
      }
    }
  }
}

TEST(BlockEnds, take_time_in_proportion_to_the_text) {
  // A quadratic search would take minutes for each of these.
  const std::string opened(300'000, '(');
  EXPECT_EQ(end_of("Rust", "fn f " + opened, "f", 1), 1);
  EXPECT_EQ(end_of("Rust", "fn f " + opened + std::string(300'000, '}'), "f", 1), 1);
  std::string shifts;
  for (int i = 0; i < 100'000; ++i) shifts += "<< ";
  EXPECT_EQ(end_of("PHP", "function f() " + shifts, "f", 1), 1);
  std::string documents = "f() {";
  for (int i = 0; i < 100'000; ++i) documents += "<<A ";
  EXPECT_EQ(end_of("Sh", documents, "f", 1), 1);
  EXPECT_EQ(end_of("Kotlin", "fun f()" + std::string(300'000, '\n'), "f", 1), 1);
  std::string regexes;
  for (int i = 0; i < 100'000; ++i) regexes += "/[";
  EXPECT_EQ(end_of("JavaScript", "function f() {" + regexes, "f", 1), 1);
}

}  // namespace
}  // namespace wright::entities
