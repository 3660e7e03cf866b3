#include <sys/stat.h>
#include <unistd.h>

#include "tools/temporary_folder_testing.h"

namespace wright::tools {
namespace {

Json read(const TemporaryFolder& base, std::string_view arguments) {
  auto result = call(base, "read_file", arguments);
  EXPECT_TRUE(result) << result.error().message;
  return result.value_or(Json());
}

std::string read_error(const TemporaryFolder& base, std::string_view arguments) {
  const auto result = call(base, "read_file", arguments);
  return result ? "no error" : result.error().message;
}

std::string content(const Json& result) {
  return std::string(result.at("content").as_string());
}

std::string note(const Json& result) {
  const Json* found = result.as_object().if_contains("note");
  return found == nullptr ? "" : std::string(found->as_string());
}

TEST(ReadFile, answers_in_the_promised_shape) {
  const TemporaryFolder base;
  base.write("src/a.txt", "one\ntwo\nthree\n");
  EXPECT_EQ(to_text(read(base, R"({"file_path": "./src/a.txt"})")),
            R"({"file_path":"src/a.txt","content":"one\ntwo\nthree\n","start_line":1,"end_line":3,)"
            R"("total_lines":3,"truncated":false,"size":14})");
}

TEST(ReadFile, reads_a_range_and_says_where_to_go_on) {
  const TemporaryFolder base;
  base.write("a", "1\n2\n3\n4\n5");
  const Json middle = read(base, R"({"file_path": "a", "offset": 2, "limit": 2})");
  EXPECT_EQ(content(middle), "2\n3\n");
  EXPECT_EQ(middle.at("start_line"), 2);
  EXPECT_EQ(middle.at("end_line"), 3);
  EXPECT_EQ(middle.at("total_lines"), 5);
  EXPECT_EQ(middle.at("truncated"), true);
  EXPECT_EQ(note(middle), "2 lines follow; go on with offset 4.");
  EXPECT_EQ(note(read(base, R"({"file_path": "a", "limit": 4})")),
            "1 line follows; go on with offset 5.");
  const Json rest = read(base, R"({"file_path": "a", "offset": 4})");
  EXPECT_EQ(content(rest), "4\n5");
  EXPECT_EQ(rest.at("end_line"), 5);
  EXPECT_EQ(rest.at("truncated"), false);
  EXPECT_EQ(note(rest), "");
}

TEST(ReadFile, refuses_an_offset_beyond_the_end) {
  const TemporaryFolder base;
  base.write("a", "1\n2\n").write("empty");
  EXPECT_EQ(read_error(base, R"({"file_path": "a", "offset": 3})"),
            "offset 3 is beyond the end: 'a' has 2 lines");
  EXPECT_EQ(read_error(base, R"({"file_path": "empty", "offset": 2})"),
            "offset 2 is beyond the end: 'empty' has 0 lines");
  EXPECT_EQ(read_error(base, R"({"file_path": "a", "offset": 0})"),
            "Parameter offset must be at least 1, not 0");
  EXPECT_EQ(read_error(base, R"({"file_path": "a", "limit": -1})"),
            "Parameter limit must be at least 1, not -1");
}

TEST(ReadFile, shows_an_empty_file_as_such) {
  const TemporaryFolder base;
  base.write("empty");
  const Json result = read(base, R"({"file_path": "empty"})");
  EXPECT_EQ(content(result), "");
  EXPECT_EQ(result.at("total_lines"), 0);
  EXPECT_EQ(result.at("end_line"), 0);
  EXPECT_EQ(note(result), "The file is empty.");
}

TEST(ReadFile, reads_2000_lines_unless_told_otherwise) {
  const TemporaryFolder base;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "x\n";
  base.write("a", text);
  EXPECT_EQ(read(base, R"({"file_path": "a"})").at("end_line"), 2000);
  EXPECT_EQ(read(base, R"({"file_path": "a", "limit": 2500})").at("end_line"), 2500);
}

TEST(ReadFile, cuts_long_lines_between_characters) {
  const TemporaryFolder base;
  std::string accents;
  for (int i = 0; i < 2500; ++i) accents += "é";
  base.write("a", std::string(2000, 'x') + "\n" + std::string(2001, 'y') + "\n" + accents + "\nz");
  const Json result = read(base, R"({"file_path": "a"})");
  const Strings lines = split(content(result), '\n');
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], std::string(2000, 'x'));
  EXPECT_EQ(lines[1], std::string(2000, 'y') + "… [cut, 1 more characters]");
  EXPECT_EQ(lines[2], accents.substr(0, 4000) + "… [cut, 500 more characters]");
  EXPECT_EQ(lines[3], "z");
  EXPECT_EQ(result.at("truncated"), true);
  EXPECT_EQ(result.at("total_lines"), 4);
}

TEST(ReadFile, stays_within_what_a_model_gets_to_read) {
  const TemporaryFolder base;
  std::string text;
  for (int i = 0; i < 1500; ++i) text += fmt::format("{:04} {}\n", i, std::string(95, '"'));
  base.write("quotes", text);
  base.write("control", std::string(200'000, '\x01'));
  const Json result = read(base, R"({"file_path": "quotes"})");
  EXPECT_LT(to_text(result).size(), ToolOptions{}.output_limit);
  EXPECT_EQ(result.at("truncated"), true);
  EXPECT_EQ(result.at("total_lines"), 1500);
  // Reading on at the offset of the note misses nothing and repeats nothing.
  std::string all;
  std::int64_t offset = 1;
  while (offset <= 1500) {
    const Json part = read(base, fmt::format(R"({{"file_path": "quotes", "offset": {}}})", offset));
    ASSERT_GE(part.at("end_line").as_int64(), offset);
    all += content(part);
    offset = part.at("end_line").as_int64() + 1;
  }
  EXPECT_EQ(all, text);
  EXPECT_LT(to_text(read(base, R"({"file_path": "control"})")).size(), ToolOptions{}.output_limit);
}

TEST(ReadFile, recognises_binary_files) {
  const TemporaryFolder base;
  base.write("a.gz", std::string_view("\x1F\x8B\b\0", 4));
  base.write("unknown", std::string_view("ab\0cd", 5));
  EXPECT_EQ(to_text(read(base, R"({"file_path": "a.gz"})")),
            R"({"file_path":"a.gz","size":4,"binary":true,"media_type":"application/gzip",)"
            R"("note":"The file is not UTF-8 text; its content is not shown."})");
  EXPECT_EQ(read(base, R"({"file_path": "unknown"})").at("media_type").as_string(),
            "application/octet-stream");
}

TEST(ReadFile, repairs_what_is_not_utf8_and_says_so) {
  const TemporaryFolder base;
  base.write("latin1", "caf\xE9\nna\xEFve\n");
  base.write("tails", std::string(30'000, '\x80') + "\nend\n");
  const Json result = read(base, R"({"file_path": "latin1"})");
  EXPECT_EQ(content(result), "caf\xEF\xBF\xBD\nna\xEF\xBF\xBDve\n");
  EXPECT_EQ(note(result), "Bytes that are not UTF-8 are shown as U+FFFD.");
  const Json tails = read(base, R"({"file_path": "tails"})");
  EXPECT_TRUE(is_valid_utf8(content(tails)));
  EXPECT_TRUE(content(tails).ends_with("more characters]\nend\n"));
}

TEST(ReadFile, does_not_take_a_character_across_two_reads_for_a_broken_one) {
  const TemporaryFolder base;
  std::string text(256 * 1024 - 1, 'x');
  for (std::size_t i = 100; i < text.size(); i += 100) text[i] = '\n';
  text += "é\n";
  base.write("a", text);
  const Json result = read(base, R"({"file_path": "a", "offset": 2622})");
  EXPECT_TRUE(content(result).ends_with("xé\n")) << content(result);
  EXPECT_EQ(result.at("truncated"), false);
}

TEST(ReadFile, hides_carriage_returns_at_line_ends_and_says_so) {
  const TemporaryFolder base;
  base.write("dos", "one\r\ntwo\rstill two\r\nlast\r");
  const Json result = read(base, R"({"file_path": "dos"})");
  EXPECT_EQ(content(result), "one\ntwo\rstill two\nlast\r");
  EXPECT_EQ(result.at("total_lines"), 3);
  EXPECT_EQ(note(result), "Lines end in CR LF; the CR is not shown.");
}

TEST(ReadFile, counts_the_lines_of_large_files_without_holding_them) {
  const TemporaryFolder base;
  {
    // Text, then a hole of 16 MiB (one line of NUL bytes), then the last line.
    std::ofstream file(base / "large", std::ios::binary);
    for (int i = 0; i < 1000; ++i) file << "line " << i << " of the beginning\n";
    file.seekp(16 << 20);
    file << "\nthe end\n";
  }
  const Json start = read(base, R"({"file_path": "large", "limit": 1})");
  EXPECT_EQ(content(start), "line 0 of the beginning\n");
  EXPECT_EQ(start.at("total_lines"), 1002);
  EXPECT_EQ(content(read(base, R"({"file_path": "large", "offset": 1002})")), "the end\n");
  const Json hole = read(base, R"({"file_path": "large", "offset": 1001, "limit": 1})");
  EXPECT_LT(to_text(hole).size(), ToolOptions{}.output_limit);
  EXPECT_EQ(hole.at("truncated"), true);
}

TEST(ReadFile, shows_text_behind_byte_order_marks_and_says_so) {
  const TemporaryFolder base;
  base.write("utf8", "\xEF\xBB\xBFone\n");
  base.write("utf16", std::string_view("\xFF\xFEo\0\xE4\0\r\0\n\0\x3D\xD8\x00\xDE", 14));
  base.write("utf32", std::string_view("\xFF\xFE\0\0o\0\0\0", 8));
  const Json utf8 = *call(base, "read_file", R"({"file_path": "utf8"})");
  EXPECT_EQ(utf8.at("content"), "one\n");
  EXPECT_EQ(utf8.at("size"), 7);
  EXPECT_EQ(utf8.at("note"), "The byte order mark at its start is not shown.");
  const Json utf16 = *call(base, "read_file", R"({"file_path": "utf16"})");
  EXPECT_EQ(utf16.at("content"), "o\u00E4\n\U0001F600");
  EXPECT_EQ(utf16.at("total_lines"), 2);
  EXPECT_EQ(utf16.at("size"), 14);
  EXPECT_NE(utf16.at("note").as_string().find("The file is UTF-16"), std::string::npos);
  EXPECT_EQ(call(base, "read_file", R"({"file_path": "utf32"})")->at("binary"), true);
}

TEST(ReadFile, shows_the_start_of_a_huge_file_without_reading_all_of_it) {
  const TemporaryFolder base;
  constexpr std::int64_t kMegabyte = 1024 * 1024;
  base.write("huge.log", "one\ntwo\n");
  {
    const std::string piece(kMegabyte, 'x');
    std::ofstream file(base / "huge.log", std::ios::binary | std::ios::app);
    for (int i = 0; i < 130; ++i) file << piece;
    file << "\nlast\n";
  }
  const std::int64_t size = 130 * kMegabyte + 14;
  const Json result = *call(base, "read_file", R"({"file_path": "huge.log", "limit": 1})");
  EXPECT_EQ(result.at("content"), "one\n");
  EXPECT_EQ(result.at("truncated"), true);
  EXPECT_EQ(result.at("size"), size);
  EXPECT_EQ(result.at("note"), "More than 2 lines follow; go on with offset 2.");
}

// How many bytes this process has read so far.
std::int64_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string label;
  std::int64_t bytes = -1;
  file >> label >> bytes;
  EXPECT_EQ(label, "rchar:");
  return bytes;
}

TEST(ReadFile, reads_nothing_of_what_the_disk_does_not_hold) {
  constexpr std::int64_t kMegabyte = 1024 * 1024;
  const TemporaryFolder base;
  const std::string first = std::string(9000, 'x') + "\n";
  base.write("sparse", first);  // enough of it to be taken for text
  const std::int64_t zeros = 512 * kMegabyte - std::ssize(first);
  {
    std::fstream file(base / "sparse", std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(512 * kMegabyte);
    file << "end of the second\nthird";
    file.seekp(1024 * kMegabyte);
    file << "\nfourth\n";
  }
  std::filesystem::resize_file(base / "sparse", 1536 * kMegabyte);
  const std::int64_t before = bytes_read();
  const Json last = read(base, R"({"file_path": "sparse", "offset": 4, "limit": 1})");
  EXPECT_EQ(last.at("content").as_string(), "fourth\n");
  EXPECT_EQ(last.at("total_lines"), 5);
  EXPECT_EQ(last.at("size"), 1536 * kMegabyte);
  const Json second = read(base, R"({"file_path": "sparse", "offset": 2, "limit": 1})");
  EXPECT_EQ(second.at("end_line"), 2);
  EXPECT_TRUE(second.at("content").as_string().ends_with(
      fmt::format("… [cut, {} more characters]\n", zeros - 2000 + 17)));
  const Json end =
      read(base, fmt::format(R"({{"file_path": "sparse", "offset": 2, "limit": 1, "column": {}}})",
                             zeros + 1));
  EXPECT_EQ(end.at("content").as_string(), "end of the second\n");
  EXPECT_LT(bytes_read() - before, 8 * kMegabyte);
}

TEST(ReadFile, reads_files_whose_size_the_system_does_not_tell) {
  const auto tools = file_tools("/proc/self");
  ASSERT_TRUE(tools);
  const auto result = call(*tools, "read_file", R"({"file_path": "status", "limit": 1})");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(content(*result).starts_with("Name:\t"));
  EXPECT_GT(result->at("size").as_int64(), 0);
}

TEST(ReadFile, does_not_block_on_a_pipe) {
  const TemporaryFolder base;
  ASSERT_EQ(::mkfifo((base / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_error(base, R"({"file_path": "pipe"})"),
            "'pipe' is not a regular file but a pipe, socket or device");
}

TEST(ReadFile, suggests_files_with_similar_names) {
  const TemporaryFolder base;
  base.write("src/parser.cpp").write("src/parser_test.cpp").write("lib/Parser.cpp");
  base.write("docs/unrelated.md").write("src/lexer.cpp");
  EXPECT_EQ(read_error(base, R"({"file_path": "parser.cpp"})"),
            "There is no 'parser.cpp' in the base folder. Similar paths: lib/Parser.cpp, "
            "src/parser.cpp, src/parser_test.cpp");
  EXPECT_EQ(read_error(base, R"({"file_path": "src/lexr.cpp"})"),
            "There is no 'src/lexr.cpp' in the base folder. Similar paths: src/lexer.cpp");
  EXPECT_EQ(read_error(base, R"({"file_path": "qqqqqqqq"})"),
            "There is no 'qqqqqqqq' in the base folder");
}

TEST(ReadFile, says_what_is_wrong_with_its_arguments) {
  const TemporaryFolder base;
  base.make_folder("folder");
  EXPECT_EQ(read_error(base, "{}"), "Missing required parameter: file_path");
  EXPECT_EQ(read_error(base, R"({"file_path": ["a"]})"),
            "Parameter file_path must be a string, not an array");
  EXPECT_EQ(read_error(base, R"({"file_path": "a", "offset": "1"})"),
            "Parameter offset must be an integer, not a string");
  EXPECT_EQ(read_error(base, R"({"file_path": "folder"})"),
            "'folder' is a folder, not a file; list_files shows what is in it");
  EXPECT_EQ(read_error(base, R"({"file_path": "a\u0000b"})").find("The path 'a"), 0U);
  EXPECT_NE(read_error(base, R"({"file_path": "/etc/passwd"})").find(base.path().native()),
            std::string::npos);
}

TEST(ReadFile, says_when_the_system_refuses) {
  const TemporaryFolder base;
  base.write("closed", "x");
  ASSERT_EQ(::chmod(base.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod((base / "closed").c_str(), 0), 0);
  const auto tools = file_tools(base.path());
  const auto result = [&] {
    const WithoutRoot without_root;
    return call(*tools, "read_file", R"({"file_path": "closed"})");
  }();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::permission_denied);
  EXPECT_EQ(result.error().message, "The system refuses to open 'closed'");
}

TEST(ReadFile, ends_when_it_is_cancelled) {
  const TemporaryFolder base;
  base.write("a", "x");
  std::stop_source source;
  source.request_stop();
  const auto result = call(base, "read_file", R"({"file_path": "a"})", source.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::cancelled);
}

TEST(ReadFile, takes_path_for_file_path) {
  const TemporaryFolder base;
  base.write("a", "x");
  EXPECT_EQ(content(read(base, R"({"path": "a"})")), "x");
  EXPECT_EQ(content(read(base, R"({"path": "a", "file_path": "a"})")), "x");
  EXPECT_NE(read_error(base, R"({"path": "a", "file_path": "b"})"), "no error");
}

TEST(ReadFile, refuses_files_over_max_size) {
  const TemporaryFolder base;
  base.write("a", "12345");
  EXPECT_EQ(content(read(base, R"({"path": "a", "max_size": 5})")), "12345");
  EXPECT_EQ(read_error(base, R"({"path": "a", "max_size": 4})"),
            "'a' has 5 bytes, more than max_size 4; offset and limit read a part");
}

TEST(ReadFile, goes_on_in_a_cut_line) {
  const TemporaryFolder base;
  std::string line;
  for (int i = 0; i < 2500; ++i) line += i < 2000 ? "ä" : "ö";
  base.write("a", line + "\nshort\n");
  const Json first = read(base, R"({"file_path": "a"})");
  EXPECT_NE(note(first).find("go on with column 2001"), std::string::npos);
  const Json rest = read(base, R"({"file_path": "a", "column": 2001})");
  std::string expected;
  for (int i = 0; i < 500; ++i) expected += "ö";
  EXPECT_EQ(content(rest), expected + "\n\n");
  EXPECT_EQ(rest.at("truncated"), false);
}

TEST(ReadFile, shows_images_beside_its_answer) {
  const TemporaryFolder base;
  const std::string png("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", 16);
  base.write("a.png", png).write("lies.png", "plain text\n").write("gif.txt", "GIF89a is text\n");
  base.write("large.jpg", "\xFF\xD8\xFF" + std::string(4'000'000, '\0'));
  base.write("a.webp", std::string("RIFF\x10\0\0\0WEBPVP8 ", 16));
  base.write("no.webp", std::string("XXXX\x10\0\0\0WEBPVP8 ", 16));
  const auto tools = file_tools(base.path());
  ASSERT_TRUE(tools);
  const auto images = [&](const std::string& path) {
    const auto outcome = execute(
        *tools, {}, {"1", "read_file", to_text(JsonObject{{"file_path", path}, {"limit", 5}})}, {});
    EXPECT_FALSE(outcome.result.is_error);
    return outcome.result.images;
  };
  ASSERT_EQ(images("a.png").size(), 1U);
  EXPECT_EQ(images("a.png").front(), (Image{"image/png", "iVBORw0KGgoAAAANSUhEUg=="}));
  EXPECT_EQ(images("a.webp").size(), 1U);
  for (const char* path : {"lies.png", "gif.txt", "large.jpg", "no.webp"}) {
    EXPECT_TRUE(images(path).empty()) << path;
  }
  EXPECT_EQ(note(read(base, R"({"file_path": "large.jpg"})")),
            "The image is not shown: it is larger than 3750000 bytes.");
  EXPECT_EQ(note(read(base, R"({"file_path": "a.png"})")),
            "The image is shown beside this answer.");
}

TEST(ReadFile, reads_absolute_paths_in_further_folders_only) {
  const TemporaryFolder base;
  const TemporaryFolder further;
  const TemporaryFolder other;
  further.write("d/a", "further").link("out", other / "secret");
  other.write("secret", "secret");
  base.write("a", "base");
  const auto tools = file_tools({.base = base.path(), .readable = {further.path()}});
  ASSERT_TRUE(tools);
  const auto read_at = [&](const std::filesystem::path& path) {
    JsonObject arguments;
    arguments["file_path"] = path.native();
    const auto result = call(*tools, "read_file", to_text(arguments));
    return result ? content(*result) : std::string(to_string(result.error().code));
  };
  EXPECT_EQ(read_at("a"), "base");
  EXPECT_EQ(read_at(further / "d/a"), "further");
  EXPECT_EQ(read_at(further / "d/../d/a"), "further");
  EXPECT_EQ(read_at("d/a"), "not_found");
  EXPECT_EQ(read_at(further / "out"), "permission_denied");
  EXPECT_EQ(read_at(further / "../x"), "permission_denied");
  EXPECT_EQ(read_at(other / "secret"), "permission_denied");
  const auto found =
      call(*tools, "grep",
           to_text(JsonObject{{"pattern", "further"}, {"path", further.path().native()}}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at("matches").at(0).at("file_path").as_string(), (further / "d/a").native());
}

}  // namespace
}  // namespace wright::tools
