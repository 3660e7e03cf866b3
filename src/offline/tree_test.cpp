// End to end: the offline model and the real file tools over a small repository on disk.
#include <gtest/gtest.h>

#include <string>

#include "core/temporary_folder_testing.h"
#include "wright/agents.h"
#include "wright/model.h"
#include "wright/tool.h"
#include "wright/tools.h"

namespace wright {
namespace {

class OfflineOnDisk : public ::testing::Test {
 protected:
  OfflineOnDisk() {
    write("README.md", "# Bank\n\nKeeps accounts and moves money between them, slowly.\n");
    write("Cargo.toml",
          "[package]\nname = \"bank\"\nversion = \"0.2.0\"\n\n[dependencies]\nserde = \"1\"\n");
    write("src/main.rs", "mod account;\n\nfn main() {\n    account::transfer(1);\n}\n");
    write("src/account.rs",
          "//! Accounts.\n\n/// An account with a balance.\npub struct Account {\n    pub balance: "
          "i64,\n}\n\n"
          "pub fn transfer(amount: i64) -> Option<Account> {\n    // FIXME: really move it\n    "
          "None\n}\n");
    write("include/bank.h",
          "#ifndef BANK_H\n#define BANK_H\n\ntypedef struct bank_handle\n{\n  int fd;\n} "
          "bank_handle_t;\n\n"
          "extern int bank_open(const char *path,\n                     int flags);\n#endif\n");
    write("ffi/bank.c",
          "#include \"bank.h\"\n\nint\nbank_open (const char *path, int flags)\n{\n  return "
          "flags;\n}\n");
    write("target/debug/account.rs", "pub struct Account {}\n");
    write(".gitignore", "target/\n");
    write("data.bin", std::string("\0\1\2\3", 4));
  }

  void write(const std::string& path, const std::string& content) { folder_.write(path, content); }

  std::string ask(const std::string& prompt) const {
    CodeIndexOptions index;
    index.base = folder_;
    index.folder = index_;
    const auto agent = codebase_analysis_agent(FileAccess{.base = folder_}, index, offline_model());
    if (!agent) return "error: " + agent.error().message;
    std::vector<Message> messages{Message::user(prompt)};
    for (int turn = 0; turn < 6; ++turn) {
      Request request;
      request.messages = messages;
      request.system = agent->instructions;
      request.tools = agent->tools;
      request.sampling = &agent->sampling;
      const auto response = agent->model.complete(request);
      if (!response) return "error: " + response.error().message;
      const auto calls = response->tool_calls();
      if (calls.empty()) return response->text();
      messages.push_back({Role::assistant, response->content});
      for (const ToolCall& call : calls) {
        const ToolOutcome outcome = execute(agent->tools, {}, call, {});
        EXPECT_FALSE(outcome.result.is_error &&
                     outcome.error_message().find("pattern") != std::string::npos)
            << call.arguments << ": " << outcome.error_message();
        messages.push_back(Message::tool(outcome.result));
      }
    }
    return "error: no answer within six calls";
  }

  const TemporaryFolder folder_;
  const TemporaryFolder index_;
};

#define EXPECT_SAYS(answer, part) EXPECT_NE((answer).find(part), std::string::npos) << (answer)

TEST_F(OfflineOnDisk, finds_definitions_and_leaves_ignored_files_alone) {
  const std::string account = ask("where is Account defined?");
  EXPECT_SAYS(account, "**src/account.rs:4**");
  EXPECT_SAYS(account, "An account with a balance.");
  EXPECT_EQ(account.find("target/"), std::string::npos) << account;
  EXPECT_SAYS(ask("where is bank_handle_t defined?"), "**include/bank.h:");
  const std::string open = ask("where is bank_open defined?");
  EXPECT_SAYS(open, "**ffi/bank.c:4**");
  EXPECT_SAYS(open, "include/bank.h:9");
}

TEST_F(OfflineOnDisk, answers_about_uses_files_and_folders) {
  EXPECT_SAYS(ask("where is transfer used?"), "src/main.rs:4");
  EXPECT_SAYS(ask("what is in this folder?"), "src/ (2 files)");
  EXPECT_SAYS(ask("what does account.rs do?"), "src/account.rs:8");
  EXPECT_SAYS(ask("which files contain balance?"), "src/account.rs");
  EXPECT_SAYS(ask("how many rust files are there?"), "2 files named *.rs");
  EXPECT_SAYS(ask("how many files are there?"),
              "Not counted: what is hidden (1 entry) and what .gitignore names (1 entry).");
  EXPECT_SAYS(ask("what does nosuch.rs do?"), "There is no file or folder");
  EXPECT_SAYS(ask("what does src do?"), "`src` holds 0 folders and 2 files");
  EXPECT_SAYS(ask("what are the largest files?"), "src/account.rs");
  EXPECT_SAYS(ask("what does data.bin do?"), "binary");
  EXPECT_SAYS(ask("list the TODOs"), "src/account.rs:9");
}

TEST_F(OfflineOnDisk, summarises_the_project) {
  const std::string answer = ask("summarise this project");
  EXPECT_SAYS(answer, "moves money between them");
  EXPECT_SAYS(answer, "Rust crate `bank` 0.2.0");
  EXPECT_SAYS(answer, "src/main.rs:3");
  EXPECT_SAYS(answer, "Rust (2 files)");
  EXPECT_SAYS(ask("what is this project, and where is Account defined?"), "**src/account.rs:4**");
}

TEST_F(OfflineOnDisk, takes_words_of_sentences_for_names_where_the_code_does) {
  write("m.py",
        "class Project:\n    def build(self): pass\n    def clean(self): pass\n"
        "class repo:\n    def save(self): pass\nclass Public:\n    def show(self): pass\n");
  const std::string methods = ask("What are the methods of Project?");
  EXPECT_SAYS(methods, "has 2 methods");
  EXPECT_SAYS(methods, "m.py:2");
  EXPECT_SAYS(ask("How many methods does repo have?"), "has 1 method:");
  EXPECT_SAYS(ask("What are the methods of Public?"), "m.py:7");
  EXPECT_SAYS(ask("How many lines does Project have?"), "**m.py:1** (3 lines)");
  EXPECT_SAYS(ask("class repo?"), "`repo` is a class, defined at **m.py:4**");
  EXPECT_SAYS(ask("What are the methods of this project?"), "There are 4 methods");
}

TEST_F(OfflineOnDisk, says_nothing_is_there_only_of_what_was_searched) {
  write(".ci/run.py", "from pkg import fetch\nfetch(1)\n");
  write("pkg.py", "def fetch(u): pass\ndef unused(): pass\n");
  write("target/gen.py", "unused()\n");
  write(".github/workflows/ci.yml", "env: SECRET_TOKEN\n");
  write("n.c", std::string("/* \0 */\nint h(void) { return 1; }\n", 34));
  EXPECT_SAYS(ask("Where is fetch used?"), ".ci/run.py:2");
  const std::string unused = ask("Where is unused used?");
  EXPECT_SAYS(unused, "never used. Not searched: what .gitignore names (1 entry), what does not");
  EXPECT_SAYS(ask("Where is SECRET_TOKEN used?"), ".github/workflows/ci.yml:1");
  EXPECT_SAYS(ask("Which files contain SECRET_TOKEN?"), ".github/workflows/ci.yml (1 line)");
  EXPECT_SAYS(ask("Where is h defined?"), "what does not look like text (2 files)");
  EXPECT_SAYS(ask("grep for zzzz"), "what .gitignore names (1 entry)");
}

TEST_F(OfflineOnDisk, finds_what_ctags_does_not_see) {
  write("a.cpp",
        "#define DEFINE_FN(n) int n##_fn() { return 1; }\nDEFINE_FN(magic)\n"
        "int start(int argc, char** argv) { return magic_fn(); }\n");
  EXPECT_SAYS(ask("Where is start defined?"), "a.cpp:3");
  write("a.cpp",
        "#define DEFINE_FN(n) int n##_fn() { return 1; }\nDEFINE_FN(magic)\n"
        "int main(int argc, char** argv) { return magic_fn(); }\n");
  EXPECT_SAYS(ask("What are the entry points?"), "a.cpp:3");
}

TEST_F(OfflineOnDisk, knows_the_functions_of_scripts) {
  write("i.js",
        "export const connect = async (port) => { return { port }; };\n"
        "function hoisted() { return connect(1); }\nmodule.exports = { hoisted };\n");
  write("o.ts",
        "abstract class A implements Thing { id = 1; abstract go(): void; }\nclass B extends A {}\n"
        "function over(x: string): string; function over(x: any) { return x; }\n");
  EXPECT_SAYS(ask("How many javascript functions are there?"), "2 functions");
  EXPECT_SAYS(ask("Where is over defined?"), "`over` is a function, defined at **o.ts:3**");
  EXPECT_SAYS(ask("Where is hoisted used?"), "i.js:3");
}

TEST_F(OfflineOnDisk, reads_setup_scripts) {
  write("setup.py",
        "setup(name='zed', license='MIT', entry_points={'console_scripts': ['zed=a:run']})\n");
  EXPECT_SAYS(ask("What licence does this project have?"), "setup.py says: `MIT`");
  EXPECT_SAYS(ask("What are the entry points?"), "`zed=a:run`");
  EXPECT_SAYS(ask("How do I build this project?"), "setup.py");
}

TEST_F(OfflineOnDisk, lists_dependencies_and_names_the_manifests_that_it_does_not_read) {
  write("pyproject.toml",
        "[project]\nname = \"demo\"\ndependencies = [\"uvicorn[standard]>=0.2\",\n"
        "  # \"oldlib\",\n  \"click\"]\n[project.optional-dependencies]\ndocs = [\"sphinx\"]\n");
  write("j/pom.xml", "<project/>\n");
  write("tests/app/package.json", "{}\n");
  const std::string answer = ask("Which dependencies are there?");
  EXPECT_SAYS(answer, "- `uvicorn[standard]>=0.2`\n- `click`\n- with the extra `docs`: `sphinx`");
  EXPECT_EQ(answer.find("oldlib"), std::string::npos) << answer;
  EXPECT_EQ(answer.find("- `docs`"), std::string::npos) << answer;
  EXPECT_SAYS(answer, "- `serde`");
  EXPECT_SAYS(answer, "Not read: manifests of kinds that I do not know");
  EXPECT_SAYS(answer, "`j/pom.xml` (Maven)");
  EXPECT_SAYS(answer, "Not read: 1 manifest in folders of tests");
}

TEST_F(OfflineOnDisk, tells_members_of_one_visibility_from_all_others) {
  write("App.java",
        "public class App {\n  public App() {}\n  public void run() {}\n"
        "  private int secret() { return 1; }\n  protected int half() { return 1; }\n"
        "  int own() { return 2; }\n}\n");
  for (const char* prompt :
       {"How many private methods does App have?", "What private methods does App have?"}) {
    const std::string answer = ask(prompt);
    EXPECT_SAYS(answer, "has 1 private method:\n\n- `secret()` (App.java:4)");
    EXPECT_EQ(answer.find("run"), std::string::npos) << answer;
  }
  EXPECT_SAYS(ask("How many public methods does App have?"), "has 2 public methods:");
  EXPECT_SAYS(ask("How many methods does App have?"), "has 5 methods:");
  EXPECT_SAYS(ask("How many private fields does App have?"), "has no private fields that the");
  write("src/model.rs", "pub struct Model;\nimpl Model {\n    fn inner(&self) {}\n}\n");
  EXPECT_SAYS(ask("How many private methods does Model have?"),
              "Of these the index does not know whether they are private:\n\n- `inner(&self)`");
  write("m.py", "class Project:\n    def build(self): pass\n    def _clean(self): pass\n");
  EXPECT_SAYS(ask("What are the public methods of Project?"), "has 1 public method:");
  write("r.py", "class repo:\n    def save(self): pass\n");
  EXPECT_SAYS(ask("Which methods with more than 2 lines does repo have?"),
              "I cannot answer this of `repo`");
}

TEST_F(OfflineOnDisk, takes_no_line_in_a_text_for_a_class) {
  write("src/a.py",
        "class A:\n    pass\n\nTEXT = \"\"\"\nclass B(A):\n    pass\n\"\"\"\n\nclass D(A): pass\n");
  const std::string answer = ask("Which classes inherit from A?");
  EXPECT_SAYS(answer, "1 line opens a class with `A` among its bases:\n\n- src/a.py:9");
  EXPECT_SAYS(answer, "By the look of the line only");
  EXPECT_GT(answer.find("src/a.py:5"), answer.find("By the look of")) << answer;
  write("src/a.py", "TEXT = \"\"\"\nclass B(A):\n    pass\n\"\"\"\n");
  EXPECT_SAYS(ask("Which classes inherit from A?"), "I found no class that the index knows with");
}

TEST_F(OfflineOnDisk, counts_as_unknown_what_the_index_knows_no_visibility_of) {
  write("a.py", "def shown(): pass\ndef also(): pass\ndef _hidden(): pass\n");
  write("q.go", "package q\nfunc Push(x int) {}\n");
  const std::string answer = ask("How many public functions are there?");
  EXPECT_SAYS(answer, "The index knows 2 public functions.");
  EXPECT_SAYS(answer, "more functions the index does not know whether they are public");
  EXPECT_SAYS(answer, "`Push` (q.go:2)");
  EXPECT_SAYS(answer, "`transfer` (src/account.rs:8)");
  EXPECT_EQ(answer.find("_hidden"), std::string::npos) << answer;
  EXPECT_SAYS(ask("How many public python functions are there?"), "There are 2 public functions");
  EXPECT_SAYS(ask("public functions per language"), "`Push` (q.go:2)");
}

TEST_F(OfflineOnDisk, takes_no_mention_for_an_import) {
  write("web/package.json", R"({"dependencies":{"zod":"3","express":"4"}})");
  write("web/app.ts", "import express from \"express\";\n// zod is not imported\nexport {};\n");
  write("web/kv.go",
        "package kv\n\nimport (\n\t\"net/http\"\n)\n\nvar url = \"net/http\" + \"x\"\n");
  const std::string express = ask("Which files import express?");
  EXPECT_SAYS(express, "1 line in 1 file imports `express`:\n\n- web/app.ts:1");
  EXPECT_SAYS(express, "1 more file says the name in another way:\n\n- web/package.json");
  EXPECT_SAYS(ask("Which files import zod?"), "I found no line that imports `zod`.");
  EXPECT_SAYS(ask("Which files import net/http?"), "1 line in 1 file imports `net/http`");
  EXPECT_SAYS(ask("Which files include bank.h?"),
              "1 line in 1 file includes `bank.h`:\n\n- ffi/bank.c:1");
}

TEST_F(OfflineOnDisk, knows_the_members_that_ctags_leaves_out) {
  write("m.py",
        "class Item:\n    sku: str\n    qty: int = 1\n    def load(self):\n"
        "        self.loaded = True\n");
  EXPECT_SAYS(ask("What fields does Item have?"), "has 3 fields:");
  write("s.ts",
        "export class Users {\n  private all = new Map<string, User>();\n"
        "  find(id: string) { return this.all.get(id); }\n}\n");
  EXPECT_SAYS(ask("How many methods does Users have?"), "has 1 method:\n\n- `find` (s.ts:3)");
  write("src/limits.rs", "pub const LIMIT: usize = 7;\n");
  EXPECT_SAYS(ask("What is LIMIT?"), "`LIMIT` is a constant, defined at **src/limits.rs:1**");
}

TEST_F(OfflineOnDisk, tells_what_go_does_without_saying_so) {
  write("kv/kv.go",
        "package kv\n\nimport \"flag\"\n\nvar addr = flag.String(\"addr\", \":80\", \"where\")\n\n"
        "type Getter interface {\n\tGet() int\n}\n\ntype Box struct{}\n\n"
        "func (b *Box) Get() int { return 1 }\n");
  EXPECT_SAYS(ask("What implements Getter?"),
              "In Go a type implements an interface by its methods");
  EXPECT_SAYS(ask("What CLI flags are there?"), "- `-addr` (kv/kv.go:5)");
}

TEST_F(OfflineOnDisk, looks_for_the_name_and_not_for_what_happens_to_it) {
  write("e.py", "class LoadError(Exception): pass\n\ndef load():\n    raise LoadError()\n");
  EXPECT_SAYS(ask("Where is LoadError raised?"), "- e.py:4: `raise LoadError()`");
  EXPECT_SAYS(ask("Where are blue whales hiding?"), "Nothing here has the words");
}

TEST_F(OfflineOnDisk, finds_a_folder_by_the_end_of_its_path) {
  write("lib/vendor/six/six_init.py", "def u(s): return s\n");
  EXPECT_SAYS(ask("What does vendor/six do?"), "`lib/vendor/six` holds 0 folders and 1 file");
  EXPECT_SAYS(ask("Where is six defined?"), "`lib/vendor/six` holds 0 folders and 1 file");
}

TEST_F(OfflineOnDisk, knows_what_is_no_class) {
  write("s.sql", "CREATE TABLE orders (id INTEGER, total NUMERIC);\n");
  write("o.py", "def orders(): pass\n\nclass User: pass\n\nx = User()\n");
  const std::string answer = ask("What fields does orders have?");
  EXPECT_SAYS(answer, "I cannot tell the fields of `orders`");
  EXPECT_SAYS(answer, "o.py:1: function");
  EXPECT_SAYS(ask("Where is the User class used?"), "- o.py:5: `x = User()`");
}

TEST_F(OfflineOnDisk, follows_changes_of_the_tree) {
  EXPECT_EQ(ask("where is Ledger defined?").find("ledger.py"), std::string::npos);
  write("tools/ledger.py", "class Ledger:\n    pass\n");
  EXPECT_SAYS(ask("where is Ledger defined?"), "**tools/ledger.py:1**");
}

}  // namespace
}  // namespace wright
