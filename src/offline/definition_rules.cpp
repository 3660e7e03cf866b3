#include "offline/definition_rules.h"

namespace wright::offline {
namespace {

// Attributes and macros between a type's keyword and its name.
#define DECORATION \
  R"((?:\s+(?:__attribute__\s*\(\(.*?\)\)|alignas\s*\([^)]*\)|\[\[[^\]]*\]\]|__declspec\([^)]*\)|[A-Z_][A-Z0-9_]*(?:\([^)]*\))?))*)"
// The type in front of a function or variable: words, pointers, template arguments, no operators.
#define C_TYPE \
  R"((?:[A-Za-z_][\w:<>,\s*&\[\]]*(?:\((?:\([^()]*\)|[^()])*\)\s*[\w:<>,\s*&]*)??[\s*&>]))"
// The rest of a parameter list, at least one of which is "type name", "type&" or "type&& name".
#define TYPED_PARAMETERS R"((?:[^;()]*[\w>](?:\s*(?:&&?|\*+)(?:\.\.\.)?\s*|\s+)\w*\s*(?:[,)=]|$)))"

constexpr Rule kRules[] = {
    // --- C and its kin
    {Family::c, LineRole::definition, 40, "macro that stands for itself",
     R"(^\s*#\s*define\s+(NAME)\s+NAME\s*(?:/[/*].*)?$)"},
    {Family::c, LineRole::definition, 48, "macro that stands for another name",
     R"(^\s*#\s*define\s+(NAME)\s+[A-Za-z_][\w.>-]*\s*(?:/[/*].*)?$)"},
    {Family::c, LineRole::definition, 52, "macro that calls another function",
     R"(^\s*#\s*define\s+(NAME)\([^)]*\)\s+[A-Za-z_]\w*\s*\([\w\s,.]*\)\s*(?:/[/*].*)?$)"},
    {Family::c, LineRole::definition, 90, "macro", R"(^\s*#\s*define\s+(NAME))"},
    {Family::c, LineRole::use, 0, "", R"(^\s*#)"},
    {Family::c, LineRole::use, 0, "",
     R"(^\s*(?:return|else|case|goto|throw|delete|new|sizeof|if|while|for|switch|do|co_await|co_return|co_yield|assert|friend|printf|default|public|private|protected|using\s+namespace)\b)"},
    {Family::c, LineRole::definition, 95, "type alias",
     R"(^\s*(?:template\s*<.*>\s*)?using\s+(NAME)\s*(?:\[\[.*\]\]\s*)?=)"},
    {Family::c, LineRole::declaration, 25, "using-declaration", R"(^\s*using\s+.*::(NAME)\s*;)"},
    {Family::c, LineRole::definition, 95, "concept", R"(\bconcept\s+(NAME)\s*=)"},
    {Family::c, LineRole::declaration, 30, "forward declaration",
     R"(^\s*(?:template\s*<.*>\s*)?(?:extern\s+)?(?:struct|class|union|enum(?:\s+(?:class|struct))?)\b)" DECORATION
     R"(\s+(?:\w+::)*(NAME)\s*(?::\s*[\w:\s]+)?;)"},
    {Family::c, LineRole::definition, 100, "type",
     R"(\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\b)" DECORATION
     R"(\s+(?:\w+(?:<[^>]*>)?::)*(NAME)\s*(?:final\s*)?(?:\{|:[^:]|$|/[/*]))"},
    {Family::c, LineRole::definition, 78, "template specialisation",
     R"(\b(?:struct|class|union)\b)" DECORATION
     R"(\s+(?:\w+::)*(NAME)\s*<[^;{]*>\s*(?:final\s*)?(?:\{|:[^:]|$))"},
    {Family::c, LineRole::definition, 90, "function pointer type",
     R"(\btypedef\b.*\(\s*[\w\s]*\*\s*(NAME)\s*\)\s*\()"},
    {Family::c, LineRole::definition, 90, "typedef",
     R"(\btypedef\b.*[\s*&)>](NAME)\s*(?:\[[^\]]*\]\s*)*(?:__attribute__.*|[A-Z_]{3,}.*)?(?:;|,[\w\s*,]*;))"},
    {Family::c, LineRole::definition, 85, "function type", R"(\btypedef\b.*[\s*&](NAME)\s*\()"},
    {Family::c, LineRole::typedef_end, 88, "type",
     R"(^\s*\}\s*(?:__attribute__\s*\(\(.*?\)\)\s*|[A-Z_]{3,}\s+)?(?:[\w\s*]+,\s*\*?)?\*?\s*(NAME)\s*(?:[,;\[]|__attribute|$))"},
    {Family::c, LineRole::definition, 60, "namespace",
     R"(\bnamespace\s+(?:\w+::)*(NAME)\s*(?:\{|$|=|::))"},
    {Family::c, LineRole::use, 0, "", R"(\benum\b[^{;]*:\s*[\w:\s]*(NAME))"},
    {Family::c, LineRole::definition, 80, "enum constant",
     R"(\benum\b[^;{]*\{(?:[^}]*[\s,{])?(NAME)\s*[=,}\s])"},
    {Family::c, LineRole::callable, 95, "function",
     R"(^\s*(?:template\s*<.*>\s*)?(?:extern\s+"C(?:\+\+)?"\s+)?)" C_TYPE
     R"((?:\w+(?:<[^>]*>)?\s*::\s*)*(NAME)\s*\()"},
    {Family::c, LineRole::callable, 95, "function", R"(^(?:\w+(?:<[^>]*>)?::)+~?(NAME)\s*\()"},
    {Family::c, LineRole::callable, 60, "function", R"(^(NAME)\s*\()"},
    {Family::c, LineRole::callable, 75, "function",
     R"(^\s+(NAME)\s*\()" TYPED_PARAMETERS R"([^;{]*$)"},
    {Family::c, LineRole::callable, 60, "constructor",
     R"(^\s+(?:explicit\s+|constexpr\s+|inline\s+)*~?(NAME)\s*\([^;]*(?:\{|:|,)\s*$)"},
    {Family::c, LineRole::declaration, 50, "variable declared elsewhere",
     R"(^\s*extern\b.*[\s*&](NAME)\s*(?:\[[^\]]*\]\s*)*(?:;|,|__attribute))"},
    {Family::c, LineRole::definition, 85, "variable",
     R"(^(?:(?:static|const|constexpr|constinit|inline|thread_local|volatile|_Thread_local|__thread)\s+)*)" C_TYPE
     R"((?:\w+::)*(NAME)\s*(?:\[[^\]]*\]\s*)*(?:=[^=]|=$|;|\{))"},
    {Family::c, LineRole::definition, 80, "constant",
     R"(^\s+(?:(?:static|inline)\s+)*(?:static|constexpr|const)\s+)" C_TYPE
     R"((NAME)\s*(?:\[[^\]]*\]\s*)*(?:=[^=]|=$|\{))"},
    {Family::c, LineRole::assignment, 35, "member or local variable",
     R"(^\s+)" C_TYPE R"((NAME)\s*(?:\[[^\]]*\]\s*)*(?::\s*\d+\s*)?(?:=[^=]|=$|;|\{|,))"},
    {Family::c, LineRole::constant, 75, "enum constant",
     R"(^\s*(?:[A-Za-z_]\w*(?:\s*=\s*[\w-]+)?\s*,\s*)*(NAME)\s*(?:=[^=;]*,?\s*(?:/[/*].*)?$|,|\}|$|/[/*]|\[\[))"},

    // --- Go
    {Family::go, LineRole::definition, 100, "function", R"(^func\s+(NAME)\s*[\[(])"},
    {Family::go, LineRole::definition, 100, "method", R"(^func\s+\([^)]*\)\s*(NAME)\s*[\[(])"},
    {Family::go, LineRole::definition, 100, "type", R"(^\s*type\s+(NAME)\b)"},
    {Family::go, LineRole::definition, 90, "type",
     R"(^\s+(NAME)(?:\[[^\]]*\])?\s+(?:struct|interface)\b)"},
    {Family::go, LineRole::definition, 95, "variable or constant",
     R"(^(?:var|const)\s+(?:\w+\s*,\s*)*(NAME)\b)"},
    {Family::go, LineRole::definition, 60, "variable or constant",
     R"(^\t(NAME)(?:\s+[\w.\[\]*]+)?\s*=[^=])"},
    {Family::go, LineRole::declaration, 40, "interface method",
     R"(^\t(NAME)\([^)]*\)\s*[\w.\[\]*()\s,]*$)"},
    {Family::go, LineRole::constant, 45, "constant or field", R"(^\t(NAME)(?:\s+[\w.\[\]*]+.*)?$)"},
    {Family::go, LineRole::assignment, 20, "local variable", R"((NAME)(?:\s*,\s*\w+)*\s*:=)"},

    // --- Rust and Zig
    {Family::rust, LineRole::callable, 100, "function", R"(\bfn\s+(NAME)\s*[<(])"},
    {Family::rust, LineRole::definition, 100, "macro", R"(\bmacro_rules!\s*(NAME))"},
    {Family::rust, LineRole::definition, 100, "type",
     R"(^\s*(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+|auto\s+)?(?:struct|enum|union|trait|type)\s+(NAME)\b)"},
    {Family::rust, LineRole::definition, 95, "constant",
     R"(^\s*(?:pub(?:\([^)]*\))?\s+)?(?:static|const)\s+(?:mut\s+|ref\s+)?(NAME)\s*[:=])"},
    {Family::rust, LineRole::definition, 85, "module",
     R"(^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(NAME)\s*\{)"},
    {Family::rust, LineRole::declaration, 55, "module in its own file",
     R"(^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(NAME)\s*;)"},
    {Family::rust, LineRole::definition, 35, "implementation block",
     R"(^\s*(?:unsafe\s+)?impl\b[^{]*(NAME)[^{]*\{?\s*$)"},
    {Family::rust, LineRole::assignment, 20, "local variable", R"(\blet\s+(?:mut\s+)?(NAME)\b)"},
    {Family::rust, LineRole::definition, 40, "field", R"(^\s*pub(?:\([^)]*\))?\s+(NAME)\s*:[^:])"},
    {Family::rust, LineRole::constant, 45, "enum variant",
     R"(^\s+(NAME)\s*(?:,|\(.*\)\s*,|\{|=\s*-?\w+,|$))"},

    // --- Python
    {Family::python, LineRole::use, 0, "",
     R"(^\s*(?:from|import|return|raise|assert|if|elif|while|for|with|del|print)\b)"},
    {Family::python, LineRole::definition, 100, "function",
     R"(^(?:async\s+)?(?:cp?def\s+[\w\s]*?|def\s+)(NAME)\s*[\[(])"},
    {Family::python, LineRole::definition, 96, "method",
     R"(^\s+(?:async\s+)?(?:cp?def\s+[\w\s]*?|def\s+)(NAME)\s*[\[(])"},
    {Family::python, LineRole::definition, 100, "class", R"(^\s*class\s+(NAME)\s*[(:\[])"},
    {Family::python, LineRole::definition, 90, "variable", R"(^(NAME)\s*(?::[^=]+)?=[^=])"},
    {Family::python, LineRole::definition, 80, "variable", R"(^(?:\w+\s*=\s*)+(NAME)\s*=[^=])"},
    {Family::python, LineRole::assignment, 45, "class or local variable",
     R"(^\s+(NAME)\s*(?::[^=]+)?=[^=])"},
    {Family::python, LineRole::assignment, 40, "attribute",
     R"(^\s+(?:self|cls)\.(NAME)\s*(?::[^=]*)?=[^=])"},
    {Family::python, LineRole::assignment, 45, "annotated field",
     R"(^\s*(NAME)\s*:\s*[\w\[\]., |"']+(?:#.*)?$)"},

    // --- Java, C#, Kotlin, Scala, Swift, Dart
    {Family::java, LineRole::use, 0, "",
     R"(^\s*(?:import|package|return|throw|else|if|while|for|switch|case|using|new|await|yield)\b)"},
    {Family::java, LineRole::definition, 100, "type",
     R"(\b(?:class|interface|enum|record|struct|object|trait|protocol|actor|typealias|annotation|mixin)\s+(?:class\s+|struct\s+)?(NAME)\b)"},
    {Family::java, LineRole::definition, 70, "extension", R"(^\s*(?:\w+\s+)*extension\s+(NAME)\b)"},
    {Family::java, LineRole::definition, 98, "function",
     R"(\b(?:fun|func|def)\s+(?:<[^>]*>\s*)?(?:[\w<>?]+\.)?(NAME)\s*[\[(<=:])"},
    {Family::java, LineRole::callable, 95, "method",
     R"(^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|private|protected|internal|static|final|abstract|synchronized|native|default|override|virtual|async|sealed|partial|extern|unsafe|new|external|const|factory|strictfp)\s+)*(?:<[^>]+>\s+)?[A-Za-z_][\w<>\[\],.?\s]*\s(NAME)\s*\()"},
    {Family::java, LineRole::callable, 70, "constructor",
     R"(^\s*(?:(?:public|private|protected|internal|const|factory)\s+)+(NAME)\s*\()"},
    {Family::java, LineRole::definition, 75, "field",
     R"(^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|private|protected|internal|static|final|volatile|transient|const|readonly|override|lateinit|lazy|late)\s+)+[\w<>\[\],.?\s]*\b(NAME)\s*(?:=[^=]|;|:|\{|=>))"},
    {Family::java, LineRole::assignment, 55, "value",
     R"(\b(?:val|var|let|const|final)\s+(NAME)\b)"},
    {Family::java, LineRole::constant, 60, "enum constant",
     R"(^\s*(?:case\s+)?(NAME)\s*(?:\(.*\))?\s*(?:=\s*[-\w"]+)?\s*[,;{]?\s*(?://.*)?$)"},

    // --- JavaScript and TypeScript
    {Family::script, LineRole::use, 0, "",
     R"(^\s*(?:import|return|throw|if|while|for|switch|case|await|yield|\}\s*else|else)\b)"},
    {Family::script, LineRole::callable, 100, "function", R"(\bfunction\s*\*?\s*(NAME)\s*[(<])"},
    {Family::script, LineRole::definition, 100, "type",
     R"(^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:const\s+)?(?:class|interface|enum|namespace)\s+(NAME)\b)"},
    {Family::script, LineRole::definition, 100, "type alias",
     R"(^\s*(?:export\s+)?(?:declare\s+)?type\s+(NAME)\s*(?:<.*>)?\s*=)"},
    {Family::script, LineRole::definition, 95, "class", R"(=\s*class\s+(NAME)\b)"},
    {Family::script, LineRole::declaration, 28, "import",
     R"(\b(?:const|let|var)\s+\{?[\w$,\s:]*(NAME)[\w$,\s:]*\}?\s*=\s*(?:await\s+import|require)\s*\()"},
    {Family::script, LineRole::definition, 95, "variable",
     R"(^(?:export\s+)?(?:declare\s+)?(?:const|let|var)\s+(NAME)\b)"},
    {Family::script, LineRole::definition, 85, "function",
     R"(\b(?:const|let|var)\s+(NAME)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function|\([^)]*\)\s*(?::[^=]+)?=>|\w+\s*=>|\($))"},
    {Family::script, LineRole::assignment, 45, "local variable",
     R"(\b(?:const|let|var)\s+(?:[\w$]+(?:\s*=[^,]*)?,\s*)*(NAME)\b)"},
    {Family::script, LineRole::definition, 85, "function",
     R"(^\s*['"]?(NAME)['"]?\s*[:=]\s*(?:async\s+)?(?:function|\([^)]*\)\s*=>|\w+\s*=>))"},
    {Family::script, LineRole::definition, 80, "member",
     R"(^\s*(?:module\.)?(?:exports|[\w$]+\.prototype|this|[\w$]+)\.(NAME)\s*=[^=])"},
    {Family::script, LineRole::definition, 90, "method",
     R"(^\s+(?:(?:static|async|get|set|public|private|protected|readonly|override|abstract|declare)\s+)*\*?#?(NAME)\s*(?:<[^>]*>)?\([^;]*\)\s*(?::\s*[^;]+)?\{)"},
    {Family::script, LineRole::declaration, 60, "member",
     R"(^\s+(?:(?:static|public|private|protected|readonly|abstract|declare)\s+)*(NAME)\??\s*(?:<[^>]*>)?\([^;]*\)\s*:\s*[^;{]+;?\s*$)"},
    {Family::script, LineRole::definition, 55, "member",
     R"(^\s+(?:(?:static|public|private|protected|readonly|declare|override)\s+)*#?(NAME)[?!]?\s*(?::\s*[^=,]+)?(?:=[^=>]|;))"},
    {Family::script, LineRole::assignment, 40, "property", R"(^\s+['"]?(NAME)['"]?\??\s*:)"},

    // --- Ruby
    {Family::ruby, LineRole::definition, 100, "method", R"(\bdef\s+(?:self\.|\w+\.)?(NAME))"},
    {Family::ruby, LineRole::definition, 100, "class or module",
     R"(^\s*(?:class|module)\s+(?:\w+::)*(NAME))"},
    {Family::ruby, LineRole::definition, 85, "defined method",
     R"(\bdefine_method\s*\(?\s*:?["']?(NAME))"},
    {Family::ruby, LineRole::definition, 80, "attribute",
     R"(\b(?:m?attr_(?:reader|writer|accessor|internal)|cattr_accessor|class_attribute|delegate|scope|has_many|has_one|belongs_to|enum)\b.*:(NAME))"},
    {Family::ruby, LineRole::definition, 75, "alias", R"(\balias(?:_method)?\s+:?(NAME))"},
    {Family::ruby, LineRole::definition, 85, "Rake task",
     R"(^\s*(?:task|namespace|desc)\s*\(?\s*[:"']?(NAME))"},
    {Family::ruby, LineRole::assignment, 60, "constant or variable",
     R"(^\s*@{0,2}(NAME)\s*(?:\|\||&&)?=[^=~])"},

    // --- shell
    {Family::shell, LineRole::definition, 100, "function",
     R"(^\s*(?:function\s+)?(NAME)\s*\(\s*\))"},
    {Family::shell, LineRole::definition, 100, "function", R"(^\s*function\s+(NAME))"},
    {Family::shell, LineRole::definition, 90, "alias", R"(\balias\s+(NAME)=)"},
    {Family::shell, LineRole::assignment, 30, "local variable",
     R"(^\s*local\s+(?:-\w+\s+)*(?:\w+(?:=\S*)?\s+)*(NAME)\b)"},
    {Family::shell, LineRole::definition, 85, "variable",
     R"(^(?:(?:export|readonly|declare|typeset)\s+(?:-\w+\s+)*)?(NAME)\+?=)"},
    {Family::shell, LineRole::definition, 65, "variable",
     R"(^\s*(?:(?:export|readonly|declare|typeset)\s+(?:-\w+\s+)*)?(NAME)\+?=)"},
    {Family::shell, LineRole::definition, 60, "variable with a default", R"(\$\{(NAME):?=)"},

    // --- SQL
    {Family::sql, LineRole::definition, 100, "database object",
     R"((?i)\bcreate\s+(?:or\s+replace\s+)?(?:(?:temp|temporary|unique|global|local|virtual|materialized|external|unlogged|recursive|definer\s*=\s*\S+)\s+)*(?:table|view|index|function|procedure|trigger|type|sequence|schema|database|domain|role|extension|aggregate|package|event|macro)\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?(?:["`\[]?\w+["`\]]?\.)*["`\[]?(NAME))"},
    {Family::sql, LineRole::definition, 70, "added column or constraint",
     R"((?i)\badd\s+(?:column\s+|constraint\s+)?(?:if\s+not\s+exists\s+)?["`\[]?(NAME))"},
    {Family::sql, LineRole::definition, 60, "column",
     R"((?i)^\s*["`\[]?(NAME)["`\]]?\s+(?:integer|int|bigint|smallint|tinyint|serial|bigserial|text|varchar|char|character|nvarchar|blob|bytea|real|float|double|numeric|decimal|bool|boolean|date|time|timestamp|timestamptz|datetime|json|jsonb|uuid|enum)\b)"},
    {Family::sql, LineRole::definition, 55, "common table expression",
     R"((?i)(?:\bwith\s+(?:recursive\s+)?|^\s*,?\s*)(NAME)\s+as\s*\()"},
    {Family::sql, LineRole::definition, 50, "constraint", R"((?i)\bconstraint\s+["`\[]?(NAME))"},

    // --- PHP, Perl, Lua
    {Family::php, LineRole::definition, 100, "function", R"(\bfunction\s+&?(NAME)\s*\()"},
    {Family::php, LineRole::definition, 100, "type",
     R"(^\s*(?:abstract\s+|final\s+|readonly\s+)*(?:class|interface|trait|enum)\s+(NAME)\b)"},
    {Family::php, LineRole::definition, 95, "constant",
     R"(\b(?:const\s+(?:\w+\s+)?|define\s*\(\s*['"])(NAME))"},
    {Family::php, LineRole::definition, 75, "property",
     R"(^\s*(?:(?:public|private|protected|static|var|readonly)\s+)+(?:\??[\w\\|]+\s+)?\$(NAME)\b)"},
    {Family::php, LineRole::assignment, 35, "variable", R"(^\s*\$(NAME)\s*=[^=])"},
    {Family::perl, LineRole::definition, 100, "subroutine", R"(^\s*sub\s+(?:\w+::)*(NAME)\b)"},
    {Family::perl, LineRole::definition, 95, "package", R"(^\s*package\s+(?:\w+::)*(NAME)\b)"},
    {Family::perl, LineRole::definition, 85, "constant", R"(\buse\s+constant\s+\{?\s*(NAME)\b)"},
    {Family::perl, LineRole::definition, 75, "variable", R"(^(?:our|my)\s+\(?[$@%](NAME)\b)"},
    {Family::perl, LineRole::assignment, 35, "variable",
     R"(\b(?:our|my|local)\s+\(?.*[$@%](NAME)\b)"},
    {Family::lua, LineRole::definition, 100, "function",
     R"(\bfunction\s+(?:[\w.:]+[.:])?(NAME)\s*\()"},
    {Family::lua, LineRole::definition, 95, "function", R"((?:^|[\s.])(NAME)\s*=\s*function\b)"},
    {Family::lua, LineRole::definition, 70, "variable",
     R"(^(?:local\s+)?(?:[\w.]+\.)?(NAME)\s*=[^=])"},

    // --- build files
    {Family::cmake, LineRole::definition, 100, "function or macro",
     R"((?i)^\s*(?:function|macro)\s*\(\s*(NAME))"},
    {Family::cmake, LineRole::definition, 95, "target",
     R"((?i)\b(?:add_library|add_executable|add_custom_target|pybind11_add_module)\s*\(\s*(NAME))"},
    {Family::cmake, LineRole::definition, 90, "project", R"((?i)\bproject\s*\(\s*(NAME))"},
    {Family::cmake, LineRole::definition, 92, "option",
     R"((?i)\b(?:option|cmake_dependent_option)\s*\(\s*(NAME))"},
    {Family::cmake, LineRole::definition, 85, "variable", R"((?i)^\s*set\s*\(\s*(NAME))"},
    {Family::cmake, LineRole::assignment, 60, "variable",
     R"((?i)\b(?:list\s*\(\s*\w+|string\s*\(.*|find_\w+|get_\w+|file\s*\(\s*\w+(?:\s+\S+)?|foreach|math\s*\(\s*EXPR)\s*[\s(]\s*(NAME))"},
    {Family::make, LineRole::definition, 95, "variable",
     R"(^\s*(?:export\s+|override\s+)?(NAME)\s*(?:[:?+!]|::)?=)"},
    {Family::make, LineRole::definition, 95, "multi-line variable", R"(^\s*define\s+(NAME))"},
    {Family::make, LineRole::definition, 90, "target",
     R"(^(?:[^:=#\t]*\s)?(NAME)(?:\s[^:=#]*)?:(?:[^=]|$))"},

    // --- functional languages
    {Family::functional, LineRole::definition, 100, "definition",
     R"(^\s*(?:def|defp|defmacro|defmacrop|defmodule|defprotocol|defstruct|defguard|defdelegate)\s+(?:\w+\.)*(NAME))"},
    {Family::functional, LineRole::definition, 100, "definition",
     R"(^\s*\((?:defun|defn-?|defmacro|defvar|defcustom|defconst|defparameter|defgeneric|defmethod|defclass|defstruct|defsubst|defprotocol|defrecord|def|define|define-syntax|ns)\s+\(?(?:\^\S+\s+)?(NAME)(?:[\s)]|$))"},
    {Family::functional, LineRole::declaration, 90, "type signature",
     R"(^(?:\s*val\s+)?(NAME)\s*(?:::|:)\s)"},
    {Family::functional, LineRole::definition, 100, "type",
     R"(^\s*(?:data|newtype|type|class|module|exception|module\s+type)\s+(?:[\w']+\s+)*?(NAME)(?:\s|$))"},
    {Family::functional, LineRole::definition, 95, "value",
     R"(^\s*(?:let|and)\s+(?:rec\s+)?(NAME)\b)"},
    {Family::functional, LineRole::definition, 85, "function",
     R"(^(NAME)\s*\(.*\)\s*(?:when\b.*)?->)"},
    {Family::functional, LineRole::definition, 80, "equation", R"(^(NAME)\b[^=]*=(?:[^=]|$))"},
    {Family::schema, LineRole::definition, 100, "type",
     R"(^\s*(?:extend\s+)?(?:message|service|enum|type|interface|input|union|scalar|struct|exception|typedef\s+\S+|directive)\s+@?(NAME)\b)"},
    {Family::schema, LineRole::definition, 95, "call", R"(\brpc\s+(NAME)\b)"},
    {Family::schema, LineRole::definition, 60, "field",
     R"(^\s*(?:(?:optional|required|repeated|\d+:)\s+)*(?:[\w.<>, ]+\s)?(NAME)\s*(?:=\s*\d+|:|\())"},

    // --- keys
    {Family::data, LineRole::definition, 25, "key", R"(^\s*["']?(NAME)["']?\s*[:=])"},
    {Family::data, LineRole::definition, 25, "section", R"(^\s*\[+\s*["']?(NAME)["']?\s*\]+)"},
    {Family::data, LineRole::definition, 25, "rule", R"(^\s*[.#](NAME)\s*[{,:\s])"},
};

}  // namespace

std::span<const Rule> definition_rules() {
  return kRules;
}

std::string_view likely_definitions() {
  return R"(^\s*#\s*define\s+NAME|^\s+NAME\s*\()" TYPED_PARAMETERS R"([^;{]*$)"
         R"(|\b(?:class|struct|union|enum|interface|trait|record|protocol|namespace|concept|module|mod|message|service|typealias|object)\b[^;=()*&]*NAME\s*(?:$|[{:(<\[/=]|final\b|extends\b|implements\b|with\b|where\b))"
         R"(|\b(?:class|struct|union|enum)\s+\S*\([^;]*NAME\s*(?:$|[{:]))"
         R"(|\b(?:def|defp|defun|defn|defmacro|defmodule|fn|func|fun|function|sub|macro|rpc|package|type|using|let|val|newtype|data|define_method|option|add_library|add_executable|add_custom_target|project|set)\b[^;=]*NAME)"
         R"(|(?i:\bcreate\s.*)NAME|\bmacro_rules!\s*NAME)"
         R"(|^[A-Za-z_][^;=.#]*[\s*&:]NAME\s*\([^;]*$|^(?:\w+::)*NAME\s*\()"
         R"(|^\s*NAME\s*\(\s*\)\s*(?:\{|$)|\btypedef\b.*NAME|^\s*\}.*NAME\s*[;,\[])"
         R"(|^(?:(?:export|static|pub(?:\([^)]*\))?|const|constexpr|inline|let|var|my|our|declare|readonly)\s+)+[^;=(]*NAME\s*(?:\[[^\]]*\]\s*)*(?::[^=;]*)?(?:[=;{]|$))";
}

std::string_view surest_definitions() {
  return R"(^\s+NAME\s*\()" TYPED_PARAMETERS R"([^;{]*$)"
         R"(|^\s*#\s*define\s+NAME|\btypedef\b[^;]*[\s*&)]NAME\s*;|^\}\s*\*?NAME\s*;)"
         R"(|^\s*(?:[\w(),<>\s]*\s)?(?:class|struct|union|enum|interface|trait|def|fn|func|fun|function|type|module|sub)\s+(?:[A-Z_][A-Z0-9_]*\s+|\([^)]*\)\s*)?NAME\s*(?:$|[{:(<\[=]|final\b|extends\b|implements\b))"
         R"(|^[A-Za-z_][^;=.#()]*[\s*&]NAME\s*\([^;]*$|^extern\b.*[\s*&]NAME\s*[(;\[]|(?i:\bcreate\s+table\s.*)NAME)";
}

std::string_view possible_definitions() {
  return R"(^\s*(?:[A-Za-z_][\w:<>,\s*&\[\]?.]*[\s*&>])?(?:\w+::)*~?NAME\s*(?:\(|(?:\[[^\]]*\]\s*)*(?:=(?:[^=]|$)|;|\{|$)))"
         R"(|^[\s"'`\[$]*NAME["'`\]]?\s*(?:[,:=}/]|[?+!]=|\(.*\{\s*$|$|\s\w+.*,?$)|[.$]NAME\s*=(?:[^=]|$)|\benum\b[^;]*NAME|\b(?:const|let|var|local|extern|attr_\w+|alias|alias_method)\b.*NAME)"
         R"(|\(\s*[\w\s]*\*\s*NAME\s*\)\s*\(|^\s*(?:[A-Za-z_]\w*(?:\s*=\s*[\w-]+)?\s*,\s*)+NAME\s*(?:[,=}]|$))";
}

}  // namespace wright::offline
