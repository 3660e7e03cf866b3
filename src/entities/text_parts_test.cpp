// The small pure parts: hashes, words, comments, lines, types.
#include <gtest/gtest.h>

#include "entities/blob_hash.h"
#include "entities/documentation.h"
#include "entities/entity_types.h"
#include "entities/identifier_words.h"
#include "entities/index_database.h"
#include "entities/source_lines.h"
#include "entities/word_ranking.h"
#include "tools/temporary_folder_testing.h"

namespace wright::entities {
namespace {

using tools::Strings;

TEST(BlobHash, is_the_one_that_git_computes) {
  EXPECT_EQ(blob_hash(""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  TemporaryFolder folder;
  std::string content;
  for (const std::size_t size : {1, 55, 56, 63, 64, 65, 119, 120, 1000, 100'003}) {
    while (content.size() < size) content += static_cast<char>(content.size() * 7 % 256);
    folder.write("file", content);
    const std::string told =
        tools::output_of("git hash-object " + tools::shell_word((folder / "file").native()));
    EXPECT_EQ(blob_hash(content) + "\n", told) << size;
    Sha1 pieces;
    pieces.add(fmt::format("blob {}", content.size()));
    pieces.add(std::string_view("\0", 1));
    for (std::size_t at = 0; at < content.size(); at += 37) {
      pieces.add(std::string_view(content).substr(at, 37));
    }
    EXPECT_EQ(std::move(pieces).hex() + "\n", told) << size;
  }
}

TEST(IdentifierWords, are_split_at_case_digits_and_signs) {
  EXPECT_EQ(identifier_words("parseHTTPRequest"), (Strings{"parse", "http", "request"}));
  EXPECT_EQ(identifier_words("parse_http_request2"), (Strings{"parse", "http", "request", "2"}));
  EXPECT_EQ(identifier_words("net::HttpClient.send-all"),
            (Strings{"net", "http", "client", "send", "all"}));
  EXPECT_EQ(identifier_words("utf8Name"), (Strings{"utf", "8", "name"}));
  EXPECT_EQ(identifier_words("größe ABC"), (Strings{"größe", "abc"}));
  EXPECT_EQ(identifier_words("__ -- ::"), (Strings{}));
  EXPECT_EQ(identifier_words(""), (Strings{}));
  EXPECT_EQ(searchable_text("parseHTTPRequest(int x)"), "parse http request int x");
}

TEST(SourceLines, count_a_last_line_without_its_end) {
  EXPECT_EQ(SourceLines("").count(), 0);
  EXPECT_EQ(SourceLines("a").count(), 1);
  EXPECT_EQ(SourceLines("a\n").count(), 1);
  const SourceLines lines("a\r\n\nccc");
  EXPECT_EQ(lines.count(), 3);
  EXPECT_EQ(lines.line(1), "a");
  EXPECT_EQ(lines.line(2), "");
  EXPECT_EQ(lines.line(3), "ccc");
  EXPECT_EQ(lines.line(4), "");
  EXPECT_EQ(lines.line(0), "");
  EXPECT_EQ(lines.line_of(0), 1);
  EXPECT_EQ(lines.line_of(3), 2);
  EXPECT_EQ(lines.line_of(6), 3);
}

TEST(Documentation, is_the_comment_above_or_the_docstring_below) {
  const auto at = [](std::string_view text, int line, std::string_view language) {
    return documentation_at(SourceLines(text), line, language);
  };
  EXPECT_EQ(at("// One.\n// Two.\nint f();\n", 3, "C++"), "One. Two.");
  EXPECT_EQ(at("/**\n * Reads it.\n */\n@Override\nvoid f() {}\n", 5, "Java"), "Reads it.");
  EXPECT_EQ(at("// Far away.\n\nint f();\n", 3, "C++"), "");
  EXPECT_EQ(at("# Shell.\nf() {\n}\n", 2, "Sh"), "Shell.");
  EXPECT_EQ(at("#define X\nint f();\n", 2, "C"), "");
  EXPECT_EQ(at("def f(a,\n      b):\n    \"\"\"Splits\n    rows.\"\"\"\n", 1, "Python"),
            "Splits rows.");
  EXPECT_EQ(at("/// Rust.\n#[inline]\nfn f() {}\n", 3, "Rust"), "Rust.");
  EXPECT_EQ(at("// \xff\xfe bad\nint f();\n", 2, "C"), "\uFFFD\uFFFD bad");
  EXPECT_LE(at("// " + std::string(5000, 'x') + "\nint f();\n", 2, "C").size(), 300U);
  EXPECT_EQ(opening_documentation(SourceLines("#!/bin/sh\n# Builds it.\nset -e\n"), "Sh"),
            "Builds it.");
  EXPECT_EQ(opening_documentation(SourceLines("\"\"\"Reports.\"\"\"\nimport x\n"), "Python"),
            "Reports.");
}

TEST(EntityType, is_one_word_for_all_languages) {
  EXPECT_EQ(entity_type("Go", "func", "package"), "function");
  EXPECT_EQ(entity_type("Go", "func", "struct"), "method");
  EXPECT_EQ(entity_type("Go", "func", "unknown"), "method");
  EXPECT_EQ(entity_type("C++", "function", "class"), "method");
  EXPECT_EQ(entity_type("C++", "function", "namespace"), "function");
  EXPECT_EQ(entity_type("Python", "member", "class"), "method");
  EXPECT_EQ(entity_type("C", "member", "struct"), "field");
  EXPECT_EQ(entity_type("Rust", "interface", ""), "trait");
  EXPECT_EQ(entity_type("Kotlin", "method", ""), "function");
  EXPECT_EQ(entity_type("CSS", "class", ""), "selector");
  EXPECT_EQ(entity_type("Unheard", "someThing", ""), "something");
}

TEST(PathKey, keeps_every_path_apart_and_gives_it_back) {
  for (const std::string path : {"a/b.c", "100%",
                                 "b\xe9"
                                 "d.c",
                                 "\xff\xfe", "new\nline", "größe", "%41"}) {
    const std::string key = path_key(path);
    EXPECT_TRUE(is_valid_utf8(key)) << key;
    EXPECT_EQ(path_of_key(key), path);
  }
  EXPECT_EQ(path_key("a/größe.c"), "a/größe.c");
  EXPECT_NE(path_key("b\xe9"), path_key("b%E9"));
}

TEST(WordRanking, prefers_rare_words_and_short_texts) {
  WordRanking ranking({"order", "late"});
  const auto add = [&](std::string_view text) {
    ASSERT_TRUE(ranking.add(text, [&] { return JsonObject{{"text", text}}; }));
  };
  add("order paid");
  add("orders late");
  add("order paid and sent by a courier who was fast");
  add("nothing here");
  const JsonArray best = std::move(ranking).best(10, 0);
  ASSERT_EQ(best.size(), 3U);
  EXPECT_EQ(best[0].at("text").as_string(), "orders late");
  EXPECT_EQ(best[0].at("score").to_number<double>(), 1);
  EXPECT_EQ(best[1].at("text").as_string(), "order paid");
}

}  // namespace
}  // namespace wright::entities
