#include "entities/lost_members.h"

#include <gtest/gtest.h>

#include <string>

namespace wright::entities {
namespace {

CodeEntity entity(std::string language, std::string type, std::string name, int line,
                  std::string signature = {}) {
  CodeEntity made;
  made.qualified_name = name;
  made.name = std::move(name);
  made.type = std::move(type);
  made.language = std::move(language);
  made.signature = std::move(signature);
  made.start_line = line;
  return made;
}

// What is added to the one entity: "name:line type visibility", a line each.
std::string added_to(const CodeEntity& first, std::string_view text) {
  std::vector<CodeEntity> entities{first};
  add_lost_members(entities, first.language, text, SourceLines(text));
  std::string told;
  for (std::size_t i = 1; i < entities.size(); ++i) {
    told += entities[i].qualified_name + ":" + std::to_string(entities[i].start_line) + " " +
            entities[i].type + " " + entities[i].visibility + "\n";
  }
  return told;
}

TEST(LostMembers, of_a_script_class_are_found_behind_what_ctags_cannot_read) {
  constexpr std::string_view kText =
      "export class Users extends Base<User> {\n"
      "  private users = new Map<string, User>();\n"
      "  static count = 0\n"
      "  /* no: member\n"
      "  neither(): void {}\n"
      "  */\n"
      "  constructor(private readonly limit: number = 100, plain: string) {\n"
      "    super();\n"
      "    if (plain) { run(); }\n"
      "  }\n"
      "  // hidden(): void {}\n"
      "  async find(id: string): Promise<User | undefined> {\n"
      "    return this.users.get(id);\n"
      "  }\n"
      "  abstract make<T>(value: T): Promise<T>\n"
      "  get size(): number { return '}'.length; }\n"
      "  refresh = debounce(() =>\n"
      "    this.log('refresh'), 250);\n"
      "  #secret?: string;\n"
      "}\n"
      "function other() {}\n";
  EXPECT_EQ(added_to(entity("TypeScript", "class", "Users", 1), kText),
            "Users.users:2 property private\nUsers.count:3 property public\n"
            "Users.constructor:7 method public\nUsers.limit:7 property private\n"
            "Users.find:12 method public\nUsers.make:15 method public\n"
            "Users.size:16 method public\nUsers.refresh:17 property public\n"
            "Users.#secret:19 property private\n");
}

TEST(LostMembers, a_record_is_a_class_with_components_and_methods) {
  constexpr std::string_view kText =
      "public record Money(long cents, Map<String, Integer> parts) {\n"
      "    public static final Money ZERO = new Money(0, null);\n"
      "    public Money {\n"
      "        if (cents < 0) throw new IllegalArgumentException();\n"
      "    }\n"
      "    public Money plus(Money o) { return new Money(cents + o.cents, parts); }\n"
      "    private List<String> names() { return List.of(); }\n"
      "}\n";
  std::vector<CodeEntity> entities{
      entity("Java", "function", "Money", 1, "(long cents, Map<String, Integer> parts)")};
  add_lost_members(entities, "Java", kText, SourceLines(kText));
  EXPECT_EQ(entities[0].type, "class");
  EXPECT_EQ(
      added_to(entity("Java", "method", "Money", 1, "(long cents, Map<String, Integer> parts)"),
               kText),
      "Money.cents:1 field private\nMoney.parts:1 field private\n"
      "Money.ZERO:2 field public\nMoney.Money:3 method public\n"
      "Money.plus:6 method public\nMoney.names:7 method private\n");
  EXPECT_EQ(added_to(entity("Java", "method", "record", 1), "void record(int x) {}\n"), "");
}

TEST(LostMembers, constants_of_rust_belong_to_what_holds_them) {
  constexpr std::string_view kText =
      "impl Gauge {\n"
      "    pub const LIMIT: usize = 100;\n"
      "    pub const fn size() -> usize { 3 }\n"
      "}\n"
      "pub(crate) const NAME: &str = \"const X: u8\";\n"
      "const _: () = ();\n"
      "// const OLD: u8 = 1;\n";
  EXPECT_EQ(added_to(entity("Rust", "implementation", "Gauge", 1), kText),
            "Gauge::LIMIT:2 constant public\nNAME:5 constant public\n");
}

}  // namespace
}  // namespace wright::entities
