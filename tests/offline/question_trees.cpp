#include "question_trees.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "wright/agents.h"
#include "wright/model.h"
#include "wright/tools.h"

namespace wright::offline {
namespace {

constexpr const char* kShop = R"(
  CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT, country TEXT, joined DATE);
  CREATE TABLE products(id INTEGER PRIMARY KEY, title TEXT, price REAL, stock INTEGER,
                        category TEXT);
  CREATE TABLE orders(order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id),
                      total REAL, status TEXT, created_at TEXT);
  CREATE TABLE order_items(id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders,
                           product_id INTEGER REFERENCES products(id), quantity INTEGER);
  CREATE TABLE commits(hash TEXT PRIMARY KEY, author TEXT, insertions INTEGER, deletions INTEGER,
                       committed_at TEXT);
  INSERT INTO customers VALUES (1,'Ada','France','2023-01-05'), (2,'Bob','Spain','2024-02-01'),
      (3,'Alice','France','2025-03-01'), (4,'Dan','Norway','2025-05-05');
  INSERT INTO products VALUES (1,'Pen',1.5,100,'office'), (2,'Desk',300,0,'furniture'),
      (3,'Lamp',40,7,'furniture'), (4,'Pad',3,0,'office');
  INSERT INTO orders VALUES (1,1,10,'paid','2024-12-30'), (2,1,500,'open','2025-01-03'),
      (3,2,80,'paid','2025-01-20'), (4,3,90,'paid','2025-02-11'), (5,1,20,'paid','2025-03-01'),
      (6,2,700,'cancelled','2025-03-09');
  INSERT INTO order_items VALUES (1,1,1,4), (2,2,2,1), (3,3,3,2), (4,4,1,10), (5,4,4,3), (6,6,2,2);
  INSERT INTO commits VALUES ('a1','ann',10,2,'2025-01-01T10:00:00Z'),
      ('b2','bob',250,30,'2025-02-01T10:00:00Z'), ('c3','ann',99,500,'2025-02-05T10:00:00Z');
)";

constexpr const char* kLibrary = R"(
  CREATE TABLE Author(AuthorId INTEGER PRIMARY KEY, FullName TEXT, BirthYear INT);
  CREATE TABLE Book(BookId INTEGER PRIMARY KEY, Title TEXT, AuthorId INT REFERENCES Author(AuthorId),
                    Pages INT, Genre TEXT, Published INTEGER);
  CREATE TABLE Loan(LoanId INTEGER PRIMARY KEY, BookId INT REFERENCES Book(BookId), Reader TEXT,
                    LentOn TEXT, ReturnedOn TEXT);
  INSERT INTO Author VALUES (1,'Ursula Le Guin',1929), (2,'Italo Calvino',1923), (3,'Ann Leckie',1966);
  INSERT INTO Book VALUES (1,'The Dispossessed',1,341,'novel',1974), (2,'Invisible Cities',2,165,'novel',1972),
      (3,'The Lathe of Heaven',1,184,'novel',1971), (4,'Steering the Craft',1,173,'essay',1998),
      (5,'Ancillary Justice',3,386,'novel',2013);
  INSERT INTO Loan VALUES (1,1,'Mia','2024-05-01','2024-05-20'), (2,1,'Tom','2024-06-01',NULL),
      (3,5,'Mia','2025-01-07','2025-02-01'), (4,2,'Zoe','2025-01-09',NULL);
)";

void make_database(const std::filesystem::path& path, const char* sql) {
  sqlite3* database = nullptr;
  sqlite3_open(path.c_str(), &database);
  sqlite3_exec(database, sql, nullptr, nullptr, nullptr);
  sqlite3_close(database);
}

std::string answer_of(const Result<Agent>& agent, const std::string& question) {
  if (!agent) return "error: " + agent.error().message;
  std::vector<Message> messages{Message::user(question)};
  for (int turn = 0; turn < 6; ++turn) {
    Request request;
    request.messages = messages;
    request.tools = agent->tools;
    const auto response = agent->model.complete(request);
    if (!response) return "error: " + response.error().message;
    const auto calls = response->tool_calls();
    if (calls.empty()) return response->text();
    messages.push_back({Role::assistant, response->content});
    for (const ToolCall& call : calls) {
      messages.push_back(Message::tool(execute(agent->tools, {}, call, {}).result));
    }
  }
  return "error: no answer within six calls";
}

}  // namespace

QuestionTrees::QuestionTrees() {
  files_
      .write("README.md",
             "# Mix\n\nA mixed bag of languages for trying things out, and nothing more than "
             "that.\n\n## Building\n\nRun `make all`.\n\n## Licence\n\nMIT\n")
      .write("LICENSE", "MIT License\n\nPermission is hereby granted, free of charge\n")
      .write(
          "web/load.ts",
          "/** Loads pages. */\nexport async function loadPage<\n  T extends object,\n  K extends "
          "keyof T = keyof T,\n>(\n  url: string,\n  pick: K[],\n): Promise<Pick<T, K>> {\n  "
          "return fetch(url).then((r) => r.json());\n}\nexport interface Shape { area(): number "
          "}\nexport class Circle implements Shape {\n  constructor(private r: number) {}\n  "
          "area(): number { return this.r; }\n  grow(by: number): void { this.r += by; "
          "}\n}\nexport class Ring extends Circle {}\n")
      .write("web/bindings.gen.ts", "// @generated\nexport enum Color { Red = 0, Green = 1 }\n")
      .write("core/color.rs",
             "/// A colour.\npub enum Color {\n    Red,\n    Green,\n}\npub trait Draw { fn "
             "draw(&self); }\nimpl Draw for Color { fn draw(&self) {} }\n")
      .write("core/main.c",
             "// Counts things.\n#include \"limits.h\"\n#define COUNT_LIMIT 4096\nstatic int "
             "helper(void) { return COUNT_LIMIT; }\nint main(void) {\n  return helper();\n}\n")
      .write("core/big.c", "int table[] = {\n" + std::string(400, '\n') + "};\n")
      .write("core/data.json", "{\"x\": \"" + std::string(9000, 'y') + "\"}\n")
      .write(
          "scripts/all.tcl",
          "proc first {x} {\n  set y \"\\{\"\n  # TODO: say more\n}\nproc second {y} {\n  return "
          "$y\n}\n")
      .write("scripts/cli.py",
             "\"\"\"The command line.\"\"\"\nimport argparse\n\nparser = "
             "argparse.ArgumentParser()\nparser.add_argument(\"--verbose\")\nparser.add_argument("
             "\"-o\", \"--output\")\n\n\nclass Base:\n    def run(self):\n        pass\n\n\nclass "
             "Child(Base):\n    def run(self):\n        pass\n\n\nclass Other(dict, "
             "Base):\n    pass\n\n\ndef test_one():\n    pass\n\n\ndef parse_row(row):\n    return "
             "row\n\n\ndef parse_all(rows):\n    return [parse_row(row) for row in rows]\n")
      .write("pkg/alpha/package.json",
             R"({"name":"@x/alpha","version":"1.0.0","dependencies":{"react":"18"}})")
      .write("pkg/beta/package.json", R"({"name":"@x/beta","version":"2.0.0"})");
  make_database(data_.path() / "shop.db", kShop);
  make_database(data_.path() / "library.db", kLibrary);
  std::string where = tools::output_of(
      "python3 -c 'import json, os; print(os.path.dirname(json.__file__), end=\"\")'");
  python_ = where;
}

std::string QuestionTrees::ask_code(const std::filesystem::path& base,
                                    const std::string& question) const {
  CodeIndexOptions index;
  index.base = base;
  index.folder = index_.path();
  return answer_of(codebase_analysis_agent(FileAccess{.base = base}, index, offline_model()),
                   question);
}

std::string QuestionTrees::ask_database(const std::string& name,
                                        const std::string& question) const {
  return answer_of(
      sqlite_analysis_agent({.databases = {{.path = data_.path() / name}}}, offline_model()),
      question);
}

std::string QuestionTrees::ask(const Scored& scored) const {
  switch (scored.about) {
    case About::languages: return ask_code(files_.path(), scored.question);
    case About::python: return ask_code(python_, scored.question);
    case About::headers: return ask_code("/usr/include/linux", scored.question);
    case About::shop: return ask_database("shop.db", scored.question);
    case About::library: return ask_database("library.db", scored.question);
  }
  return {};
}

Score score_of(const Scored& scored, const std::string& answer) {
  constexpr auto kHonest = std::to_array<std::string_view>(
      {"I do not recognise", "I cannot", "Nothing here", "I found no", "There is no file",
       "No line here", "I only read", "No manifest", "No file here"});
  const bool is_honest = std::ranges::any_of(
      kHonest, [&](std::string_view words) { return answer.starts_with(words); });
  const auto has = [&](const char* part) { return answer.contains(part); };
  if (std::ranges::any_of(scored.contains_not, has)) return Score::wrong;
  if (!scored.contains.empty() && std::ranges::all_of(scored.contains, has)) return Score::right;
  return is_honest ? Score::honest : Score::wrong;
}

const std::vector<Scored>& first_questions() {
  static const std::vector<Scored> kQuestions{
      // code
      {About::languages, "What is this project?", {"A mixed bag of languages", "README.md:1"}},
      {About::languages, "How do I build it?", {"Run `make all`", "README.md:5"}},
      {About::languages,
       "Where is loadPage defined?",
       {"**web/load.ts:2**", "9 lines"},
       {"no definition"}},
      {About::languages,
       "Where is Color defined?",
       {"core/color.rs:2", "web/bindings.gen.ts:2", "2 places"}},
      {About::languages,
       "What is the value of COUNT_LIMIT?",
       {"core/main.c:3", "#define COUNT_LIMIT 4096"}},
      {About::languages,
       "What methods does class Circle have?",
       {"`area", "`grow", "web/load.ts:12"},
       {"loadPage"}},
      {About::languages,
       "What classes inherit from Base?",
       {"class Child(Base)", "class Other(dict, Base)"},
       {"class Base:"}},
      {About::languages, "What implements Draw?", {"core/color.rs:7"}},
      {About::languages,
       "Which packages are in this monorepo?",
       {"`@x/alpha` 1.0.0", "`@x/beta` 2.0.0"},
       {"react"}},
      {About::languages, "What are the dependencies?", {"react 18"}},
      {About::languages,
       "Which C files are largest?",
       {"- core/big.c", "- core/main.c"},
       {"data.json", "load.ts"}},
      {About::languages, "Which files are largest?", {"- core/data.json"}},
      {About::languages, "How many test functions are there?", {}, {"There are"}},
      {About::languages, "What changed in the last week?", {"12 files changed since"}},
      {About::languages,
       "What is the longest function?",
       {"`loadPage` (web/load.ts:2): 9 lines", "`second` (scripts/all.tcl:5): 3 lines"}},
      {About::languages, "List the CLI flags", {"`--verbose`", "`--output`"}},
      {About::languages,
       "Summarise the folder core",
       {"main.c: Counts things.", "color.rs: A colour."}},
      {About::languages,
       "functions whose name starts with parse",
       {"There are 2 functions", "`parse_row`", "`parse_all`"}},
      {About::languages, "who calls helper?", {"core/main.c:6"}},
      {About::languages, "What are the entry points?", {"core/main.c:5"}},
      {About::languages, "which licence?", {"MIT License"}},
      {About::languages, "How many classes are there?", {"There are 5 classes"}},
      {About::languages, "Where are pages cached?", {}, {"is defined", "best match"}},
      {About::languages, "Why is loadPage slow?", {}, {"because", "best match"}},
      {About::languages, "What does helper return?", {}, {"returns"}},
      {About::languages, "where is frobnicate defined?", {}, {"is defined"}},
      {About::python, "Where is JSONDecoder defined?", {"a class, defined at **decoder.py:"}},
      {About::python,
       "What methods does JSONDecoder have?",
       {"`decode(", "`raw_decode(", "3 methods"},
       {"JSONArray"}},
      {About::python,
       "What classes inherit from ValueError?",
       {"class JSONDecodeError(ValueError)"}},
      {About::python,
       "what does decoder.py do?",
       {"Implementation of JSONDecoder", "py_scanstring"}},
      {About::headers,
       "What is the value of PATH_MAX?",
       {"limits.h:", "#define PATH_MAX        4096"}},
      {About::headers,
       "where is struct epoll_event defined?",
       {"a struct, defined at **eventpoll.h:"}},
      // databases
      {About::shop, "What is the highest order total?", {": 700."}, {"sum("}},
      {About::shop,
       "Which customer has the highest total of orders?",
       {},
       {"sum(\"customer_id\")"}},
      {About::shop,
       "Show the newest 3 orders",
       {"| 6 | 2 | 700 |", "| 5 | 1 |", "| 4 | 3 |", "LIMIT 3"},
       {"= 3"}},
      {About::shop, "Which products are out of stock?", {}, {"is a table"}},
      {About::shop,
       "What is the largest commit by insertions?",
       {"| b2 | bob | 250 |"},
       {"| c3 |"}},
      {About::shop, "How many orders per month?", {"| 2025-01 | 2 |", "| 2025-03 | 2 |"}},
      {About::shop, "How many orders in 2025?", {": 5."}},
      {About::shop, "customers whose name starts with A", {"| Ada |", "| Alice |"}, {"| Bob |"}},
      {About::shop,
       "How many orders does each customer have?",
       {"| 1 | Ada | 3 |", "| 2 | Bob | 2 |"}},
      {About::shop, "Which customer has the most orders?", {"| 1 | Ada | 3 |"}},
      {About::shop, "How many orders are from customers in France?", {": 4."}},
      {About::shop,
       "customers from France or Spain",
       {"| Ada |", "| Bob |", "| Alice |"},
       {"| Dan |"}},
      {About::shop, "average total by status", {"| paid | 50 |", "| open | 500 |"}},
      {About::shop, "Which customers have no orders?", {}, {"| Ada |"}},
      {About::shop, "orders last month", {}, {"| 6 |"}},
      {About::shop, "top 2 products by price", {"| Desk | 300 |", "| Lamp | 40 |"}, {"Pen"}},
      {About::shop,
       "average number of items per order",
       {},
       {": "
        "1."}},
  };
  return kQuestions;
}

const std::vector<Scored>& later_questions() {
  static const std::vector<Scored> kQuestions{
      // code
      {About::languages, "Give me an overview", {"A mixed bag of languages"}},
      {About::languages, "Which programming languages are used?", {"TypeScript: 2", "Python: 1"}},
      {About::languages, "How many TypeScript files are there?", {"2 files named *.ts"}},
      {About::languages,
       "Show me web/load.ts lines 11-12",
       {"11  export interface Shape", "12  export class Circle"},
       {"Ring"}},
      {About::languages, "How long is core/main.c?", {"7 lines"}},
      {About::languages, "Find all TODO comments", {"scripts/all.tcl:3"}},
      {About::languages, "Is helper used anywhere?", {"core/main.c:6"}},
      {About::languages, "Where is Circle.grow implemented?", {"web/load.ts:15"}},
      {About::languages, "What is Ring?", {"web/load.ts:17"}},
      {About::languages, "Which methods does Ring inherit?", {}, {"has no methods", "`grow"}},
      {About::languages, "Which class has the most methods?", {"`Circle` (web/load.ts:12)"}},
      {About::languages,
       "Which functions are longer than 5 lines?",
       {"`loadPage`", "There is 1 function"},
       {"`second`"}},
      {About::languages, "Which functions are shorter than loadPage?", {}, {"There are"}},
      {About::languages, "List all enums", {"core/color.rs:2", "web/bindings.gen.ts:2"}},
      {About::languages, "How many lines of Python are there?", {"32 lines in 1 file"}},
      {About::languages, "How many files are in core?", {"4 files below `core`"}},
      {About::languages, "What is in pkg/alpha?", {"package.json"}, {"beta"}},
      {About::languages, "Who wrote core/main.c?", {}, {"written by"}},
      {About::languages, "Which files import argparse?", {"scripts/cli.py"}, {"core/main.c"}},
      {About::languages, "What does COUNT_LIMIT mean?", {"core/main.c:3"}},
      {About::languages, "Is there a class called Square?", {}, {"Yes", "is defined"}},
      {About::languages,
       "How many methods does Circle have?",
       {"has 3 methods", "`grow` (web/load.ts:15)"},
       {"There are"}},
      {About::languages, "Are there any unused functions?", {}, {"There are", "Yes"}},
      {About::languages, "What is the smallest C file?", {"- core/main.c"}, {"data.json"}},
      {About::languages, "How is the project tested?", {}, {"pytest"}},
      {About::languages, "Which tests fail?", {}, {"test_one fails"}},
      {About::languages, "Explain how loadPage works", {"web/load.ts:2"}},
      {About::python, "How many classes are there?", {"There are 3 classes"}},
      {About::python, "Which files contain scanstring?", {"decoder.py ("}, {"tool.py ("}},
      {About::python, "Where is the scanner?", {"scanner.py"}},
      {About::python, "What are the largest classes?", {"`JSONEncoder`", "`JSONDecoder`"}},
      {About::python, "What does JSONEncoder.default raise?", {}, {"raises `TypeError`"}},
      {About::python, "Which functions have more than 3 parameters?", {}, {"There are"}},
      {About::headers, "Where is ENOENT defined?", {}, {"best match"}},
      {About::headers, "What is EPOLLIN?", {"eventpoll.h:", "EPOLLIN"}},
      {About::headers, "what macros start with EPOLL?", {"`EPOLLIN`", "eventpoll.h"}},
      {About::headers, "fields of struct epoll_event", {"`events`", "`data`"}},
      // databases
      {About::library,
       "What tables are there?",
       {"3 tables", "`Author` (3 rows)", "`Book` (5 rows)", "`Loan` (4 rows)"}},
      {About::library, "How many books are there?", {"5 rows"}},
      {About::library, "How many books has each author written?", {"| 1 | Ursula Le Guin | 3 |"}},
      {About::library, "How many books does each author have?", {"| 1 |", "| 3 |"}},
      {About::library, "Which book has the most pages?", {"| 5 | Ancillary Justice |"}},
      {About::library, "What is the average number of pages?", {": 249.8."}, {"count("}},
      {About::library, "Books by Italo Calvino", {"Invisible Cities"}, {"Dispossessed"}},
      {About::library,
       "Which books were published before 1975?",
       {"Dispossessed", "Invisible Cities", "Lathe"},
       {"Ancillary"}},
      {About::library, "How many books were published in 2013?", {": 1."}, {": 0."}},
      {About::library, "loans per month", {"| 2025-01 | 2 |"}},
      {About::library, "Which loans are not returned?", {}, {"| 1 | 1 | Mia |"}},
      {About::library, "loans whose ReturnedOn is missing", {"| Tom |", "| Zoe |"}, {"| Mia |"}},
      {About::library, "Top readers", {"| Mia | 2 |"}},
      {About::library, "Who is the oldest author?", {}, {"| 3 | Ann Leckie |"}},
      {About::library,
       "novels with more than 200 pages",
       {"Dispossessed", "Ancillary"},
       {"Invisible", "Steering"}},
      {About::library, "Delete all loans", {"I only read"}},
      {About::library,
       "List titles starting with The",
       {"The Dispossessed", "The Lathe of Heaven"},
       {"Invisible"}},
      {About::library, "What is the longest book?", {}, {"| 4 |"}},
      {About::library, "How many genres are there?", {": 2."}},
      {About::library, "Which author wrote the most books?", {"Ursula Le Guin"}, {"Calvino | 3"}},
      {About::shop, "total stock per category", {"| office | 100 |", "| furniture | 7 |"}},
      {About::shop, "How many orders are not paid?", {": 2."}, {": 4.", ": 6."}},
      {About::shop, "What was sold most?", {}, {"| 1 |"}},
      {About::shop, "Sum of quantity per product", {"| 1 | Pen | 14 |", "| 2 | Desk | 3 |"}},
      {About::shop, "How many customers joined after 2024-01-01?", {": 3."}, {": 4."}},
      {About::shop,
       "orders between 2025-01-01 and 2025-02-01",
       {"| 2 | 1 | 500 |", "| 3 | 2 | 80 |"},
       {"| 6 |", "| 1 | 1 | 10 |", "| 4 | 3 |"}},
      {About::shop,
       "the cheapest product in category furniture",
       {"| Lamp |"},
       {"| Pen |", "| Desk |"}},
      {About::shop, "the 2 oldest orders", {"| 1 | 1 | 10 |", "| 2 | 1 | 500 |"}, {"| 6 |"}},
      {About::shop, "Which customers joined before Bob?", {}, {"| Dan |"}},
      {About::shop, "What is the total of all orders?", {}, {"| 700 |"}},
      {About::shop, "Which orders were created after 2025-03-01?", {"| 6 |"}, {"| 5 |"}},
      {About::languages, "how many python classes are in scripts", {"3 classes"}},
      {About::shop, "Who are our best customers?", {}, {"| Ada |"}},
  };
  return kQuestions;
}

}  // namespace wright::offline
