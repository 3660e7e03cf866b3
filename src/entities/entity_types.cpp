#include "entities/entity_types.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace wright::entities {
namespace {

constexpr auto kTypes = std::to_array<TypeDescription>({
    {"file", "a file of the tree, text or not"},
    {"class", "a class"},
    {"struct", "a struct"},
    {"interface", "an interface or protocol"},
    {"trait", "a trait"},
    {"enum", "an enumeration"},
    {"function", "a function with a body, outside of any class"},
    {"method", "a function of a class, struct, interface or trait"},
    {"prototype", "a function that is declared without a body (C, C++)"},
    {"namespace", "a namespace"},
    {"module", "a module"},
    {"macro", "a macro"},
    {"typedef", "a name for another type"},
    {"field", "a field or member variable"},
    {"variable", "a variable"},
    {"constant", "a constant"},
});

struct KindType {
  std::string_view kind;
  std::string_view type;
};

// Kinds that are called otherwise than their type.
constexpr auto kKinds = std::to_array<KindType>({
    {"func", "function"},
    {"subroutine", "function"},
    {"sub", "function"},
    {"subprogram", "function"},
    {"procedure", "function"},
    {"proc", "function"},
    {"generator", "function"},
    {"task", "function"},
    {"singletonMethod", "method"},
    {"methodSpec", "method"},
    {"constructor", "method"},
    {"getter", "method"},
    {"setter", "method"},
    {"define", "macro"},
    {"alias", "typedef"},
    {"type", "typedef"},
    {"talias", "typedef"},
    {"member", "field"},
    {"var", "variable"},
    {"externvar", "variable"},
    {"global", "variable"},
    {"const", "constant"},
    {"enumConstant", "enumerator"},
    {"enumeration", "enum"},
    {"chapter", "section"},
    {"subsection", "section"},
    {"subsubsection", "section"},
    {"l4subsection", "section"},
    {"l5subsection", "section"},
    {"structure", "struct"},
    {"protocol", "interface"},
});

struct LanguageKindType {
  std::string_view language;
  std::string_view kind;
  std::string_view type;
};

// Words that mean something else in one language.
constexpr auto kExceptions = std::to_array<LanguageKindType>({
    {"CSS", "class", "selector"},
    {"CSS", "id", "selector"},
    {"SCSS", "class", "selector"},
    {"SCSS", "id", "selector"},
    {"HTML", "class", "attribute"},
    {"HTML", "id", "attribute"},
    {"HTML", "title", "section"},
    {"Python", "member", "method"},
    {"Python", "unknown", "import"},
    {"Rust", "interface", "trait"},
    {"PHP", "define", "constant"},
});

constexpr auto kClassLike = std::to_array<std::string_view>(
    {"class", "struct", "interface", "union", "trait", "implementation", "object", "record",
     "protocol", "category", "singletonMethod", "unknown", "enum"});

struct NameLanguage {
  std::string_view ending;
  std::string_view language;
};

// Formats of data whose keys are no entities, languages that ctags does not read, and those of
// files with nothing in them.
constexpr auto kByName = std::to_array<NameLanguage>({
    {".json", "JSON"},       {".xml", "XML"},
    {".svg", "SVG"},         {".yaml", "YAML"},
    {".yml", "YAML"},        {".toml", "TOML"},
    {".ini", "INI"},         {".cfg", "INI"},
    {".swift", "Swift"},     {".scala", "Scala"},
    {".zig", "Zig"},         {".nim", "Nim"},
    {".dart", "Dart"},       {".txt", "Text"},
    {".csv", "CSV"},         {".diff", "Diff"},
    {".patch", "Diff"},      {".plist", "XML"},
    {".vue", "Vue"},         {".svelte", "Svelte"},
    {".ipynb", "Jupyter"},   {".proto", "Protobuf"},
    {".dtd", "DTD"},         {".ent", "DTD"},
    {"go.mod", "Go module"}, {".py", "Python"},
    {".js", "JavaScript"},   {".ts", "TypeScript"},
    {".rb", "Ruby"},         {".go", "Go"},
    {".rs", "Rust"},         {".java", "Java"},
    {".sh", "Sh"},           {".c", "C"},
    {".cpp", "C++"},         {".h", "C++"},
    {".css", "CSS"},         {".html", "HTML"},
    {".md", "Markdown"},     {".sql", "SQL"},
    {".php", "PHP"},
});

bool is_class_like(std::string_view scope_kind) {
  return std::ranges::find(kClassLike, scope_kind) != kClassLike.end();
}

}  // namespace

std::span<const TypeDescription> known_types() {
  return kTypes;
}

std::string entity_type(std::string_view language, std::string_view kind,
                        std::string_view scope_kind) {
  std::string_view type = kind;
  const auto renamed = std::ranges::find(kKinds, kind, &KindType::kind);
  if (renamed != kKinds.end()) type = renamed->type;
  for (const LanguageKindType& row : kExceptions) {
    if (row.language == language && row.kind == kind) type = row.type;
  }
  if (type == "function" && is_class_like(scope_kind)) type = "method";
  if (type == "method" && scope_kind.empty()) type = "function";
  std::string made(type);
  std::ranges::transform(made, made.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return made;
}

bool may_have_methods(std::string_view type) {
  constexpr auto kTypes = std::to_array<std::string_view>(
      {"class", "struct", "interface", "trait", "enum", "union", "object", "module"});
  return std::ranges::find(kTypes, type) != kTypes.end();
}

std::string_view scope_separator(std::string_view language) {
  constexpr auto kColons =
      std::to_array<std::string_view>({"C", "C++", "CUDA", "Rust", "Perl", "Tcl", "SystemVerilog"});
  if (std::ranges::find(kColons, language) != kColons.end()) return "::";
  return language == "PHP" ? "\\" : ".";
}

std::string_view language_by_name(std::string_view path) {
  for (const NameLanguage& row : kByName) {
    if (path.ends_with(row.ending)) return row.language;
  }
  return {};
}

}  // namespace wright::entities
