#include "app/terminal/markdown_stream.h"

#include <gtest/gtest.h>

#include <random>

namespace wright::app {
namespace {

// What a person sees when the colours are taken away.
std::string without_colours(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
      if (i == std::string_view::npos) break;
    } else {
      out += text[i];
    }
  }
  return out;
}

TEST(MarkdownStream, shows_headings_bold_and_without_marks) {
  EXPECT_EQ(rendered_markdown("## The answer\ntext"), "\x1b[1mThe answer\x1b[0m\ntext");
  EXPECT_EQ(rendered_markdown("#hashtag and C#"), "#hashtag and C#");
}

TEST(MarkdownStream, shows_code_blocks_indented_and_dim_with_everything_in_them) {
  EXPECT_EQ(rendered_markdown("```\nint **x; // # no *heading*\n\n```\nafter"),
            "\x1b[2m    int **x; // # no *heading*\x1b[0m\n\x1b[2m    \x1b[0m\nafter");
  EXPECT_EQ(without_colours(rendered_markdown("~~~~\n```\n~~~\n~~~~\nend\n")),
            "    ```\n    ~~~\nend\n");
}

TEST(MarkdownStream, shows_lists_rules_and_quotes) {
  EXPECT_EQ(without_colours(rendered_markdown("- one\n  * two\n1. three\n---\n> said\n")),
            "• one\n  • two\n1. three\n────────────────────\n│ said\n");
}

TEST(MarkdownStream, shows_bold_code_and_links_within_a_line) {
  EXPECT_EQ(rendered_markdown("a **`b` c** `**` d"),
            "a \x1b[1m\x1b[36mb\x1b[0m\x1b[1m c\x1b[0m \x1b[36m**\x1b[0m d");
  EXPECT_EQ(without_colours(rendered_markdown("see [the page](http://a.example/x) now")),
            "see the page (http://a.example/x) now");
}

TEST(MarkdownStream, shows_italic_words) {
  EXPECT_EQ(rendered_markdown("an *old* and _new_ one, *both*"),
            "an \x1b[3mold\x1b[0m and \x1b[3mnew\x1b[0m one, \x1b[3mboth\x1b[0m");
  EXPECT_EQ(rendered_markdown("**bold *and* italic**"),
            "\x1b[1mbold \x1b[1m\x1b[3mand\x1b[0m\x1b[1m italic\x1b[0m");
}

TEST(MarkdownStream, colours_code_of_languages_it_knows) {
  EXPECT_EQ(rendered_markdown("```cpp\nint x = f(\"a // b\");  // said\n```\n"),
            "    \x1b[36mint\x1b[0m x = f(\x1b[32m\"a // b\"\x1b[0m);  \x1b[2m// said\x1b[0m\n");
  EXPECT_EQ(rendered_markdown("```python\nif don't:  # said\n```\n"),
            "    \x1b[36mif\x1b[0m don't:  \x1b[2m# said\x1b[0m\n");
  EXPECT_EQ(rendered_markdown("```sql\nSELECT 'it' -- said\n```\n"),
            "    \x1b[36mSELECT\x1b[0m \x1b[32m'it'\x1b[0m \x1b[2m-- said\x1b[0m\n");
  EXPECT_EQ(rendered_markdown("```diff\n-old\n+new\n same\n```\n"),
            "    \x1b[31m-old\x1b[0m\n    \x1b[32m+new\x1b[0m\n     same\n");
}

TEST(MarkdownStream, carries_comments_strings_and_documents_over_lines) {
  EXPECT_EQ(rendered_markdown("```c\nx; /* if\nreturn */ int y;\n```\n"),
            "    x; \x1b[2m/* if\x1b[0m\n    \x1b[2mreturn */\x1b[0m \x1b[36mint\x1b[0m y;\n");
  EXPECT_EQ(rendered_markdown("```python\n\"\"\"if\n\nfor\"\"\"\nx\n```\n"),
            "    \x1b[32m\"\"\"if\x1b[0m\n    \n    \x1b[32mfor\"\"\"\x1b[0m\n    x\n");
  EXPECT_EQ(rendered_markdown("```sh\ncat <<'END' | x\nif # no\nEND\nif\n```\n"),
            "    cat <<'END' | x\n    \x1b[32mif # no\x1b[0m\n    \x1b[32mEND\x1b[0m\n    "
            "\x1b[36mif\x1b[0m\n");
  // Nothing is carried out of a block.
  EXPECT_EQ(rendered_markdown("```c\n/* open\n```\n```c\nint\n```\n"),
            "    \x1b[2m/* open\x1b[0m\n    \x1b[36mint\x1b[0m\n");
  EXPECT_EQ(rendered_markdown("```sh\necho $((1<<3))\nif\n```\n"),
            "    echo $((1<<3))\n    \x1b[36mif\x1b[0m\n");
}

TEST(MarkdownStream, draws_tables) {
  const std::string table = "| name | count |\n|---|---:|\n| `a\\|b` | 1 |\n| 漢 | 10 |\n";
  EXPECT_EQ(without_colours(rendered_markdown("see:\n" + table + "after")),
            "see:\n"
            "name │ count\n"
            "─────┼──────\n"
            "a|b  │     1\n"
            "漢   │    10\n"
            "after");
  EXPECT_EQ(without_colours(rendered_markdown(table, 8)),
            "• name: a|b\n  count: 1\n• name: 漢\n  count: 10\n");
  EXPECT_EQ(without_colours(rendered_markdown("| a | b |\n| c | d |\nno")),
            "| a | b |\n| c | d |\nno");
  EXPECT_EQ(without_colours(rendered_markdown("| a |\n|---|\n| b |")), "a\n─\nb");
}

TEST(MarkdownStream, keeps_marks_that_mean_nothing) {
  for (const std::string text :
       {"2 ** 3 ** 4", "snake_case __init__ *p", "a[0] = b[1]", "an `open tick", "[half](link",
        "**never closed", "5 * 3", "-x", "a*b*c", "int *a, *b", "_x y", "f(*args, **more)", "x_y_z",
        "#", "` `` ```` "}) {
    EXPECT_EQ(without_colours(rendered_markdown(text)), text == "#" ? "" : text) << text;
  }
}

TEST(MarkdownStream, lets_nothing_through_that_drives_a_terminal) {
  for (const std::string frame :
       {"{}", "# {}", "```\n{}\n```", "**{}**", "`{}`", "[{}](x)", "[x]({})", "> {}", "- {}",
        "```{}\ncode\n```\n", "*{}*", "| {} |\n|---|\n| {} |\n", "```cpp\n\"{}\n```\n"}) {
    for (const std::string hostile : {"\x1b]0;owned\x07", "\x1b[2J", "\x1b[31m", "\r\x1b[K",
                                      "\x9b"
                                      "31m",
                                      "\b\b",
                                      "\xc2\x9b"
                                      "5n"}) {
      std::string text = frame;
      text.replace(text.find("{}"), 2, hostile);
      const std::string shown = without_colours(rendered_markdown(text));
      for (const char c : shown) {
        EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
            << frame << " " << static_cast<int>(c);
      }
      EXPECT_EQ(shown.find("\xc2\x9b"), std::string::npos);
      // Only our own colours are left.
      std::string sequences = rendered_markdown(text);
      for (std::size_t at = 0; (at = sequences.find('\x1b', at)) != std::string::npos; ++at) {
        const std::string sequence = sequences.substr(at, sequences.find('m', at) - at + 1);
        EXPECT_TRUE(sequence == "\x1b[0m" || sequence == "\x1b[1m" || sequence == "\x1b[2m" ||
                    sequence == "\x1b[3m" || sequence == "\x1b[31m" || sequence == "\x1b[32m" ||
                    sequence == "\x1b[36m")
            << sequence;
      }
    }
  }
}

TEST(MarkdownStream, gives_a_plain_line_as_it_comes) {
  MarkdownStream stream;
  EXPECT_EQ(stream.add("The answer "), "The answer");
  EXPECT_EQ(stream.add("is **fort"), " is");
  EXPECT_EQ(stream.add("y-two**. "), " \x1b[1mforty-two\x1b[0m.");
  EXPECT_EQ(stream.add("\n"), " \n");
  EXPECT_EQ(stream.add("``"), "");
  EXPECT_EQ(stream.add("`\ncode"), "\x1b[2m    code");
  EXPECT_EQ(stream.finish(), "\x1b[0m");
}

TEST(MarkdownStream, gives_the_same_in_whatever_pieces_it_comes) {
  const std::string text =
      "# Höhe\r\n\n- **bold** `code` é [l](u) 日本語\n```py\nx = '''a'''\n```\n***\n> q **b**\n"
      "| a | b |\n**half `x\n``` not a fence ` \n*it* _al_ a*b* *c\n| a | b |\n|--|:-:|\n| *x* | 1 "
      "|\n"
      "```cpp\nint x; // y\n```\n_end_";
  const std::string whole = rendered_markdown(text);
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    MarkdownStream stream;
    std::string shown;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = 1 + random() % 5;
      shown += stream.add(std::string_view(text).substr(at, length));
      at += length;
    }
    shown += stream.finish();
    ASSERT_EQ(shown, whole);
  }
}

TEST(MarkdownStream, does_not_hold_a_text_back_for_a_mark_that_never_closes) {
  MarkdownStream stream;
  stream.add("[");
  std::string shown;
  for (int i = 0; i < 3000; ++i) shown += stream.add("x");
  EXPECT_GT(shown.size(), 2900U);
}

TEST(MarkdownStream, survives_any_bytes) {
  std::mt19937 random(3);
  constexpr std::string_view kAlphabet =
      "`*[]()#->_~| \n\r\t\x1b\xe2\x82\xac\xff"
      "ab";
  for (int round = 0; round < 500; ++round) {
    MarkdownStream stream;
    std::string shown;
    for (int i = 0; i < 60; ++i) {
      shown += stream.add(kAlphabet.substr(random() % kAlphabet.size(), 1));
    }
    shown += stream.finish();
    EXPECT_EQ(without_colours(shown).find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace wright::app
