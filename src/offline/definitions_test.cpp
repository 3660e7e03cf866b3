#include "offline/definitions.h"

#include <gtest/gtest.h>

#include <map>
#include <ostream>

#include "offline/wording.h"
#include "wright/json.h"

namespace wright::offline {

struct Line {
  const char* path;
  const char* name;
  const char* text;  // of one or more lines; the name's line is marked by ">"
};

std::ostream& operator<<(std::ostream& out, const Line& line) {
  return out << line.path << ": " << line.text;
}

namespace {

struct Marked {
  std::string text;
  std::size_t index = 0;
};

// Takes the ">" off the marked line; the first line is the one where none is marked.
Marked marked(std::string_view text) {
  Marked made;
  std::size_t index = 0;
  for (const std::string_view line : split_lines(text)) {
    const bool is_marked = line.starts_with('>');
    if (is_marked) made.index = index;
    made.text += std::string(is_marked ? line.substr(1) : line) + "\n";
    ++index;
  }
  return made;
}

Verdict judge(const Line& line) {
  const Marked text = marked(line.text);
  return DefinitionJudge(line.name).judge(line.path, split_lines(text.text), text.index);
}

bool is_found_by_search(const Line& line) {
  const Marked text = marked(line.text);
  const auto lines = split_lines(text.text);
  const re2::StringPiece subject(lines[text.index].data(), lines[text.index].size());
  return RE2::PartialMatch(subject, RE2(likely_definitions_of(line.name))) ||
         RE2::PartialMatch(subject, RE2(possible_definitions_of(line.name)));
}

class Definition : public ::testing::TestWithParam<Line> {};

TEST_P(Definition, is_recognised_and_found_by_the_search) {
  const Verdict verdict = judge(GetParam());
  EXPECT_EQ(verdict.role, LineRole::definition) << verdict.what;
  EXPECT_GT(verdict.score, 40);
  EXPECT_TRUE(is_found_by_search(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    C, Definition,
    ::testing::Values(Line{"a.h", "MAX", "#define MAX(a, b) ((a) > (b) ? (a) : (b))"},
                      Line{"a.h", "LIMIT", "#  define LIMIT 12"},
                      Line{"a.h", "stat", "struct stat\n  {\n    int x;\n  };"},
                      Line{"a.h", "point", "struct point { int x, y; };"},
                      Line{"a.h", "packed", "struct __attribute__((packed)) packed {"},
                      Line{"a.h", "size_type", "typedef unsigned long size_type;"},
                      Line{"a.h", "handler", "typedef void (*handler)(int);"},
                      Line{"a.h", "FILE", "typedef struct _IO_FILE FILE;"},
                      Line{"a.h", "mutex_t", "typedef union\n{\n  int a;\n>} mutex_t;"},
                      Line{"a.h", "wide_t", "typedef unsigned\n>  long wide_t;"},
                      Line{"a.h", "EPOLLIN",
                           "enum EPOLL_EVENTS\n  {\n>    EPOLLIN = 0x001,\n    EPOLLPRI = 2\n  };"},
                      Line{"a.h", "GREEN", "enum color { RED, GREEN, BLUE };"},
                      Line{"a.h", "BLUE", "typedef enum {\n  RED,\n>  GREEN, BLUE,\n} color;"},
                      Line{"a.h", "clamp", "static inline int clamp(int v, int lo, int hi) {"},
                      Line{"a.c", "start", "static int\n>start (void)\n{\n  return 0;\n}"},
                      Line{"a.c", "two_lines", "int two_lines(int a,\n              int b)\n{"},
                      Line{"a.c", "counter", "static int counter = 0;"},
                      Line{"a.c", "table", "const char *table[] = {"}));

INSTANTIATE_TEST_SUITE_P(
    Cpp, Definition,
    ::testing::Values(
        Line{"a.h", "Store", "class Store final : public Base {"},
        Line{"a.h", "Exported", "class BOOST_SYMBOL_VISIBLE Exported\n{"},
        Line{"a.cpp", "open", "Result<void> Store::open(const Path& path) {"},
        Line{"a.cpp", "Store", "Store::Store(int x) : x_(x) {"},
        Line{
            "a.h", "make_it",
            "  template<typename _Tp>\n    constexpr auto\n>    make_it(_Args&&... __args)\n    {"},
        Line{"a.h", "exchange_all",
             "    inline void\n>    exchange_all(_Tp& a, _Tp& b)\n    noexcept(true)\n    {"},
        Line{"a.h", "Alias", "using Alias = std::vector<int>;"},
        Line{"a.h", "Sized", "concept Sized = requires(T t) { t.size(); };"},
        Line{"a.h", "Kind", "enum class Kind : std::uint8_t { a, b };"},
        Line{"a.h", "kLimit", "inline constexpr int kLimit = 5;"},
        Line{"a.hpp", "apply", "template <class T> auto apply(T&& f) noexcept -> decltype(f()) {"},
        Line{"a.h", "size", "struct A {\n>  std::size_t size() const { return n; }\n};"}));

INSTANTIATE_TEST_SUITE_P(
    Scripting, Definition,
    ::testing::Values(
        Line{"a.py", "load", "def load(path):"},
        Line{"a.py", "load", "    async def load(self, path):"},
        Line{"a.py", "Config", "class Config(Base):"}, Line{"a.py", "LIMIT", "LIMIT: int = 10"},
        Line{"a.rb", "empty?", "  def empty?"}, Line{"a.rb", "load", "  def self.load(path)"},
        Line{"a.rb", "Store", "module Store"}, Line{"a.rb", "name", "  attr_reader :id, :name"},
        Line{"a.sh", "die", "die() {"}, Line{"a.sh", "build-all", "function build-all {"},
        Line{"a.sh", "ROOT", "export ROOT=/tmp"}, Line{"a.pl", "connect", "sub connect {"},
        Line{"a.lua", "new", "function Account.new(x)"},
        Line{"a.php", "boot", "    public static function boot()"}));

INSTANTIATE_TEST_SUITE_P(
    Typed, Definition,
    ::testing::Values(
        Line{"a.go", "Serve", "func (s *Server) Serve(l net.Listener) error {"},
        Line{"a.go", "New", "func New[T any](x T) *Box[T] {"},
        Line{"a.go", "Server", "type Server struct {"},
        Line{"a.go", "MaxSize", "const (\n>\tMaxSize = 10\n)"},
        Line{"a.rs", "parse", "    pub(crate) async fn parse<T>(input: &str) -> Result<T> {"},
        Line{"a.rs", "Token", "pub enum Token {"}, Line{"a.rs", "vec_of", "macro_rules! vec_of {"},
        Line{"a.rs", "LIMIT", "pub const LIMIT: usize = 4;"},
        Line{"A.java", "Account", "public final class Account extends Base {"},
        Line{"A.java", "deposit", "  public synchronized void deposit(long cents) throws E {"},
        Line{"A.kt", "greet", "fun greet(name: String) = println(name)"},
        Line{"a.js", "render", "export default async function render(page) {"},
        Line{"a.js", "handler", "const handler = async (event) => {"},
        Line{"a.js", "save", "  async save(item) {"},
        Line{"a.js", "listen", "app.listen = function listen() {"},
        Line{"a.ts", "Options", "export interface Options {"},
        Line{"a.ts", "Id", "export type Id = string | number;"}));

INSTANTIATE_TEST_SUITE_P(
    DataAndBuild, Definition,
    ::testing::Values(Line{"a.sql", "users", "CREATE TABLE IF NOT EXISTS public.users ("},
                      Line{"a.sql", "by_name", "create unique index by_name on users (name);"},
                      Line{"a.sql", "email", "  email text not null,"},
                      Line{"a.cmake", "add_thing", "function(add_thing name)"},
                      Line{"CMakeLists.txt", "core", "add_library(core STATIC a.cpp)"},
                      Line{"Makefile", "install", "install: all"},
                      Line{"Makefile", "CFLAGS", "CFLAGS ?= -O2"},
                      Line{"a.proto", "Person", "message Person {"}));

class NotADefinition : public ::testing::TestWithParam<Line> {};

TEST_P(NotADefinition, is_not_taken_for_one) {
  const Verdict verdict = judge(GetParam());
  EXPECT_TRUE(verdict.role != LineRole::definition || verdict.score < 40)
      << verdict.what << " " << verdict.score;
}

INSTANTIATE_TEST_SUITE_P(
    All, NotADefinition,
    ::testing::Values(
        Line{"a.c", "stat", "  struct stat buffer;"},
        Line{"a.c", "stat", "  if (stat(path, &buffer) != 0) return -1;"},
        Line{"a.c", "open", "  int fd = open(path, O_RDONLY);"},
        Line{"a.c", "open", "  return open(path);"}, Line{"a.h", "point", "struct point;"},
        Line{"a.h", "run", "extern int run(void);"}, Line{"a.h", "run", " * run() does this"},
        Line{"a.h", "run", "/*\n>int run(void) { is only mentioned }\n*/"},
        Line{"a.c", "name", "  log(\"static int name(\");"},
        Line{"a.c", "flag", "  call(a,\n>       flag,\n       b);"},
        Line{"a.c", "flag", "int list[] = {\n>  flag,\n};"},
        Line{"a.cpp", "count", "  std::cout << count(x) << end;"},
        Line{"a.h", "uint8_t", "enum class Kind : uint8_t {"},
        Line{"a.h", "uint8_t", "typedef wrapped<uint8_t, 8> other;"},
        Line{"a.py", "load", "from config import load"}, Line{"a.py", "load", "value = load(path)"},
        Line{"a.js", "save", "  return save(item);"}, Line{"a.go", "Serve", "\terr := Serve(l)"},
        Line{"a.rs", "parse", "    let x = parse(input)?;"},
        Line{"A.java", "deposit", "    return deposit(5);"},
        Line{"a.h", "move", "\t\t   __value, std::move(__proj));"},
        Line{"a.h", "move", "\t\t   std::move(__comp),"},
        Line{"a.h", "swap", "    if (x)\n>      swap(a & b)\n    {"},
        Line{"a.md", "load", "def load(path):"}));

TEST(Definitions, see_continued_expressions_in_the_line_alone) {
  const DefinitionJudge judge("move");
  EXPECT_TRUE(judge.judge("a.h", "\t\t   __value, std::move(__proj));").is_use());
  EXPECT_TRUE(judge.judge("a.h", "\t\t   auto std::move(__comp)),").is_use());
  EXPECT_FALSE(judge.judge("a.h", "  std::map<int, int> move(int a,").is_use());
}

TEST(Definitions, judge_no_file_without_extension_by_the_rules_of_go) {
  EXPECT_TRUE(DefinitionJudge("Serve").judge("vector", "\tServe(l Listener) error").what !=
              "interface method");
}

TEST(Definitions, tells_prototypes_from_bodies) {
  EXPECT_EQ(judge({"a.h", "run", "int run(const char* name,\n        int mode);"}).role,
            LineRole::declaration);
  EXPECT_EQ(judge({"a.c", "run", "int run(const char* name,\n        int mode)\n{"}).role,
            LineRole::definition);
  EXPECT_EQ(judge({"a.rs", "len", "    fn len(&self) -> usize;"}).role, LineRole::declaration);
}

TEST(Definitions, survive_names_made_of_regex_characters) {
  for (const char* name : {"a+b", "(", "[", "\\", ".*", "x|y", "$", "^", "\xff", ""}) {
    const DefinitionJudge judge(name);
    judge.judge("a.c", "int a+b(void) { ( [ \\ .* x|y $ ^");
    if (!is_valid_utf8(name)) continue;
    EXPECT_TRUE(RE2(likely_definitions_of(name)).ok()) << name;
    EXPECT_TRUE(RE2(possible_definitions_of(name)).ok()) << name;
  }
}

TEST(Definitions, rank_macros_that_only_rename_below_prototypes) {
  const int prototype =
      judge({"a.h", "open_v2", "int open_v2(const char* name, int flags);"}).score;
  EXPECT_LT(judge({"a.h", "open_v2", "#define open_v2 api->open_v2"}).score, prototype);
  EXPECT_LT(judge({"a.h", "open_v2", "#define open_v2(a, b) other_open(a, b)"}).score, prototype);
  EXPECT_GT(judge({"a.h", "open_v2", "#define open_v2(a, b) do { a = b; } while (0)"}).score,
            prototype);
}

TEST(Outline, lists_what_a_file_defines_in_order) {
  const std::string text =
      "#include <a.h>\n\n#define LIMIT 3\n\nstruct point {\n  int x;\n};\n\nstatic int\nadd(int a, "
      "int b)\n{\n  return a + b;\n}\n\nint twice(int a) { return add(a, a); }\n";
  const auto outline = outline_of("a.c", split_lines(text));
  std::vector<std::pair<int, std::string>> found;
  for (const OutlineEntry& entry : outline) found.emplace_back(entry.line, entry.name);
  EXPECT_EQ(found, (std::vector<std::pair<int, std::string>>{
                       {3, "LIMIT"}, {5, "point"}, {10, "add"}, {15, "twice"}}));
}

TEST(PathPenalty, ranks_sources_before_tests_and_vendored_code) {
  EXPECT_EQ(path_penalty("src/store.cpp"), 0);
  EXPECT_GT(path_penalty("tests/store.cpp"), 0);
  EXPECT_GT(path_penalty("src/store_test.cpp"), 0);
  EXPECT_GT(path_penalty("third_party/zlib/zlib.h"), 0);
  EXPECT_GT(path_penalty("README.md"), path_penalty("src/tests/a.cpp"));
}

}  // namespace
}  // namespace wright::offline
