#include "offline/recognisers.h"

#include <vector>

namespace wright::offline {
namespace {

struct Row {
  Topic topic;
  Needs needs;
  Scope scope;
  const char* pattern;
  const char* qualifier = "";
};

constexpr Scope kSplit = Scope::split;
constexpr Scope kKeep = Scope::keep;

// Case does not matter. Verbs that only state the obvious ("show me", "list all the") are spelled
// out here rather than stripped before, because some of them carry the meaning.
constexpr Row kRows[] = {
    // --- about the planner itself
    {Topic::capabilities, Needs::nothing, kKeep,
     R"(^(?:(?:hi|hello|hey|help|thanks?|thank you|good (?:morning|evening|day))(?: \w+)?|who are you|what are you|(?:are|is) (?:you|this) (?:a|an|really an?) (?:llm|language model|ai|bot|real model)|what (?:can|do) you (?:do|know|understand|answer)|what (?:questions?|kinds? of questions?) .*(?:ask|answer|understand).*)$)"},

    // --- well-known parts of a project
    {Topic::licence, Needs::nothing, kKeep,
     R"(^(?:.* )?(?:un)?licen[cs](?:e|es|ed|ing)\b(?: (?:is|of|for|does|do|file|this|that|it|its|the|project|code|repo|repository|used?|uses|under|have|has|apply|applies|here|text|software|library|there|are|terms|released|distributed|available))*$)"},
    {Topic::todos, Needs::nothing, kSplit,
     R"(^(?:(?:list|show|find|what|which|are|is|how many|where|any|give|get|count|print|display|search|grep)\b[\w\s,/]*?)?\b(?:to-?dos?|fixmes?)\b(?:(?: |,|/|and|or|comments?|items?|notes?|markers?|list|fixmes?|todos?|xxx|hacks?|are|there|left|open|remain(?:ing)?|exist|do|we|have|is|in|the|code)+)?$)"},
    {Topic::tests, Needs::nothing, kSplit,
     R"(^(?:where|which|what|how|list|show|find|are|does|is|count)(?: (?:are|is|do|does|can|i|the|all|any|unit|integration|this|project|have|it|its|run|me|there|many|automated|code|of|for|a|find|you|to|we|execute|start))* tests?(?: (?:suites?|files?|cases?|folder|directory|code|located|are|live|found|defined|there|here|kept|run|written|executed|have|has|stored|organi[sz]ed|do|we|does|it|exist|framework|is|used|in))*$)"},
    {Topic::tests, Needs::nothing, kSplit, R"(^how (?:is|are|do (?:you|we|i)) .*\btest(?:ed)?$)"},
    {Topic::dependencies, Needs::nothing, kSplit,
     R"(^(?:(?:what|which|list|show|find|how many|does|are|give|where)\b.*\b)?(?:dependencies|dependency list)\b(?: (?:are|is|does|do|this|the|project|it|have|has|need|needed|required?|used?|there|listed|declared|defined|we|code|of))*$)"},
    {Topic::dependencies, Needs::nothing, kSplit,
     R"(^what (?:does|do) (?:this|it|the|we|our)(?: \w+)?(?: code)? (?:depend (?:up)?on|need to (?:build|run)|require)$)"},
    {Topic::dependencies, Needs::nothing, kSplit,
     R"(^(?:which|what|list|show)(?: me)?(?: all)?(?: the)? (?:(?:third[- ]party|external|other|used|required) )*(?:libraries|packages|crates|gems|frameworks)\b.*$)"},
    {Topic::entry_points, Needs::nothing, kSplit, R"(\bentry[- ]?points?\b)"},
    {Topic::entry_points, Needs::nothing, kSplit,
     R"(^where (?:does|do|is) (?:the |this |it|our )?(?:program|application|app|execution|code|binary|server|everything|project)? ?(?:start|begin|launch)(?:s|ed)?(?: up)?$)"},
    {Topic::entry_points, Needs::nothing, kSplit,
     R"(^(?:what|where) (?:is|are) (?:the )?(?:main(?: (?:function|program|method|file|executable|routine))s?|main|executables?|binar(?:y|ies)|programs?)$)"},

    // --- how many
    {Topic::containing_files, Needs::subject, kSplit,
     R"(^(?:how many|count|number of|count the number of) (?:(?P<type>[\w.+#]+) )?files? (?:that |which )?(?:contain|mention|include|reference|use|import|call)s? (?P<subject>.+)$)",
     "count"},
    {Topic::count_lines, Needs::file, kKeep, R"(^(?:how many|count(?: the)?|number of) lines?(?: of (?:code|text))?(?: does| are| do| is)?(?: there)?(?: in| of)? (?:the file )?(?P<subject>\S+?)(?: (?:have|has|contain|file))*$)"},
    {Topic::count_lines, Needs::file, kKeep,
     R"(^how (?:long|big|large) is (?:the file )?(?P<subject>\S+)$)"},
    {Topic::count_lines, Needs::nothing, kSplit,
     R"(^(?:how many|count|number of|what is the number of)(?: the| all)* (?:(?P<type>[\w.+#]+) )?(?:source )?lines?(?: of (?:source )?(?:code|text))?(?: (?:are|is|does|do|there|have|has|it|we|this|the|project|repo|repository|contain))*$)"},
    {Topic::count_lines, Needs::file_type, kSplit,
     R"(^(?:how many|count|number of)(?: the| all)* lines? of (?P<type>[\w.+#]+)(?: code)?(?: (?:are|is|does|do|there|have|has|it|we|this))*$)"},
    {Topic::count_lines, Needs::nothing, kSplit,
     R"(^how (?:big|large) is (?:this|the|it)(?: (?:project|code ?base|repo|repository|code|program))?$)"},
    {Topic::count_occurrences, Needs::subject, kSplit,
     R"(^how (?:many times|often) (?:is|are|does|do|has|was|did)?(?: the (?:word|text|string))? ?(?P<subject>.+?)(?: (?:been|being|get|gets))*(?: (?:used|called|referenced|mentioned|appears?|occurs?|invoked|imported|included|show up|found|present))(?: (?:anywhere|altogether|in total))?$)"},
    {Topic::count_occurrences, Needs::subject, kSplit,
     R"(^(?:how many|count|number of|count the number of)(?: the| all)* (?:occurrences?|mentions?|uses|usages?|references?|calls?|instances?|hits?|matches|callers?)(?: (?:are there|does|do))? (?:of|to|for) (?P<subject>.+?)(?: (?:are there|are|exist|have|there))*$)"},
    {Topic::count_occurrences, Needs::subject, kSplit,
     R"(^how many (?:callers?|uses|usages?|references|mentions) (?:does|do|are there (?:of|to)) (?P<subject>.+?)(?: have)?$)"},
    {Topic::count_files, Needs::subject, kSplit,
     R"(^(?:how many|count|number of)(?: the| all)* files?(?: are)?(?: there)?(?: that are| that)? (?:of type|with (?:the )?(?:extension|ending|suffix)|ending (?:in|with)|named|called|match(?:ing)?|end with|end in) (?P<subject>\S+)(?: (?:are there|are|exist))*$)"},
    {Topic::count_files, Needs::nothing, kSplit,
     R"(^(?:how many|count|number of|what is the number of)(?: the| all| different)* (?:(?P<type>[\w.+#*]+) )?(?:source )?files?(?: (?:are|is|does|do|there|have|has|it|we|this|the|project|repo|repository|contain|exist))*$)"},
    {Topic::count_definitions, Needs::nothing, kSplit,
     R"(^(?:how many|count|number of)(?: the| all)* (?:(?P<type>[\w.+#]+) )?(?P<qualifier>functions|methods|classes|structs|structures|enums|interfaces|traits|types|macros|function|class|modules|definitions)(?: and \w+)?(?: (?:are|is|does|do|there|have|has|it|we|this|the|project|exist|defined|definitions))*$)"},

    // --- ranked files
    {Topic::ranked_files, Needs::nothing, kSplit,
     R"(\b(?:largest|biggest|longest|heaviest|huge|most lines)\b(?:[\w\s.+#]*\bfiles?\b)?(?: (?:are|is|here|there))*$)",
     "largest"},
    {Topic::ranked_files, Needs::nothing, kSplit,
     R"(\b(?:largest|biggest|longest|heaviest) (?:(?P<type>[\w.+#]+) )?files?\b)", "largest"},
    {Topic::ranked_files, Needs::nothing, kSplit,
     R"(^(?:sort|order|list)\b.*\bfiles?\b.*\bby size$)", "largest"},
    {Topic::ranked_files, Needs::nothing, kSplit,
     R"(\b(?:smallest|shortest|tiniest) (?:(?P<type>[\w.+#]+) )?files?\b)", "smallest"},
    {Topic::ranked_files, Needs::nothing, kSplit,
     R"(\b(?:newest|latest|most recent(?:ly)?(?: \w+)?|recently \w+ed|last (?:changed|modified|edited|updated|touched)) (?:(?P<type>[\w.+#]+) )?files?\b)",
     "newest"},
    {Topic::ranked_files, Needs::nothing, kSplit,
     R"(^(?:what|which files?) (?:was|were|has|have)? ?(?:been )?(?:(?:changed|modified|edited|updated|touched) (?:recently|last|most recently|lately)|(?:most )?recently (?:changed|modified|edited|updated)|(?:the )?(?:newest|latest))$)",
     "newest"},
    {Topic::ranked_files, Needs::nothing, kSplit, R"(\boldest (?:(?P<type>[\w.+#]+) )?files?\b)",
     "oldest"},

    // --- files by name or content
    {Topic::find_files, Needs::subject,
     kSplit, R"(\bfiles? (?:that |which |whose )?(?:(?:is|are|names?) )?(?:match(?:es|ing)?(?: the)?(?: glob| pattern)?|named|called|like|with (?:the )?(?:name|extension|suffix|ending)s?|end(?:s|ing)? (?:in|with)|of type|contains? the name|start(?:s|ing)? with) (?P<subject>\S+)(?: (?:are|is) (?:there|here))?$)"},
    {Topic::containing_files, Needs::subject, kSplit,
     R"(^(?:(?:which|what|list|find|show|give|in which|in what)(?: me)?(?: all)?(?: the)? )?(?:(?P<type>[\w.+#]+) )?files? (?:that |which |do )?(?:contain(?:s|ing)?|mention(?:s|ing)?|includ(?:e|es|ing)|referenc(?:e|es|ing)|us(?:e|es|ing)|import(?:s|ing)?|hav(?:e|ing)|with|call(?:s|ing)?|depend on) (?:the (?:text|word|string|line) )?(?P<subject>.+)$)"},
    {Topic::containing_files, Needs::file, kSplit,
     R"(^(?:who|what|which) (?:includes?|imports?) (?P<subject>.+)$)"},
    {Topic::find_files, Needs::glob, kSplit,
     R"(^(?:(?:list|show|find|locate|where (?:is|are)|which files? match(?:es)?|ls|what)(?: me| all| the| files?| are| is)* )?(?P<subject>\S*[*?]\S*)(?: files?)?$)"},
    {Topic::find_files, Needs::file_type, kSplit,
     R"(^(?:list|show|find|which|what|where|get)(?: me)?(?: are| is)?(?: all)?(?: the)? (?P<type>\.?[\w+#]+) (?:source )?files?(?: (?:are|is|do|exist|there|we|have|located|kept|stored))*$)"},

    // --- folders
    {Topic::list, Needs::folder, kKeep,
     R"(^(?:ls|dir|tree|list|(?:list|show|print|display)(?: me)?(?: all)?(?: the)? (?:files|folders|directories|contents?|entries|everything|structure|tree|layout)(?: and (?:folders|directories|files))?|what files(?: are)?(?: there)?|what is here|what's here|(?:folder|directory|project|file) (?:structure|tree|layout|contents))(?: (?:in|of|under|inside|from|for) (?P<path>.+))?$)"},
    {Topic::list, Needs::folder, kKeep,
     R"(^what(?:'s| is| are)?(?: there| all| the files| the folders| the contents| files are(?: there)?| folders are(?: there)?| files do we have| things are)* (?:in|inside|under|below) (?P<path>(?:this|the|that|our|current|my) (?:current |root |\S+ )?(?:folder|directory|dir|repo|repository|project|tree|workspace|root)|(?:folder|directory|dir) \S+|here|\S*/|\.)$)"},
    {Topic::list, Needs::folder, kKeep,
     R"(^(?:ls|list|show)(?: me)? (?P<path>[\w.-]+/[\w./-]*|(?:this|the) (?:folder|directory)|(?:the )?(?:folder|directory) \S+|(?:the )?\S+ (?:folder|directory))$)"},
    {Topic::list, Needs::folder, kKeep,
     R"(^what does (?P<path>(?:(?:this|the current|the) )?(?:folder|directory)(?: \S+)?|(?:the )?\S+ (?:folder|directory)) (?:contain|hold|have)$)"},

    // --- uses
    {Topic::usage, Needs::subject, kSplit,
     R"(^where(?:'s| is| are| do(?:es)?| do we| was)?(?: all)? (?P<subject>.+?)(?: (?:is|are|being|get|gets|currently|actually|we|all))*? (?:used|called|referenced|invoked|instantiated|mentioned|imported|included|consumed|accessed|set|assigned|read from|written to)(?: from| anywhere| everywhere)?$)"},
    {Topic::usage, Needs::subject, kSplit,
     R"(^where (?:do|does|can|did) (?:we|you|i|it|they|the code|the program|this project|anyone|anything) (?:use|call|reference|invoke|import|include|mention|instantiate) (?P<subject>.+)$)"},
    {Topic::usage, Needs::subject, kSplit, R"(^(?:who|what|which (?:functions?|code|methods?|places?|parts?|modules?|classes|callers?)|what code|anything that|everything that|everyone who) (?:calls?|uses?|references?|invokes?|imports?|includes?|depends? on|instantiates?|is using|is calling) (?P<subject>.+)$)"},
    {Topic::usage, Needs::subject, kSplit,
     R"((?:^|\b)(?:usages?|uses|callers?|references|calls|call ?sites|mentions|occurrences|instances|users) (?:of|to|for) (?P<subject>.+)$)"},
    {Topic::usage, Needs::name, kSplit,
     R"(^(?:is|are) (?P<subject>.+?) (?:used|called|referenced|invoked)(?: (?:anywhere|at all|somewhere|from anywhere))?$)"},

    // --- definitions
    {Topic::definition, Needs::subject, kSplit,
     R"(^where(?:'s| is| are| was| were| do(?:es)?| do (?:we|they|you))? (?P<subject>.+?)(?: (?:is|are|was|were|being|get|gets|actually|really|been|first))*? (?:defined|declared|implemented|located|coded|specified|written|created|introduced|live|lives|come from|comes from|coming from|definition|declaration|implementation|reside|resides)(?: at| and (?:declared|defined|implemented|used))?$)"},
    {Topic::definition, Needs::subject, kSplit,
     R"(^where (?:do|does|did) (?:we|you|i|it|they|the code|the program|this project) (?:define|declare|implement) (?P<subject>.+)$)"},
    {Topic::definition, Needs::subject, kSplit,
     R"((?:^|\b)(?:definitions?|declarations?|implementations?|prototype|signature|source(?: code)?) (?:of|for) (?P<subject>.+)$)"},
    {Topic::definition, Needs::subject, kSplit,
     R"(^(?:which|what) (?:files?|header|module|source file|place)?(?: ?(?:defines?|declares?|implements?|has|contains? the definition of)) (?P<subject>.+)$)"},
    {Topic::definition, Needs::subject, kSplit,
     R"(^(?:in )?(?:which|what) (?:file|header|module|folder) (?:is|are|can i find|does|do i find) (?P<subject>.+?)(?: (?:in|defined|declared|implemented|located|live|come from))*$)"},
    {Topic::definition, Needs::name, kSplit,
     R"(^(?:define|goto|go to|jump to|look up) (?P<subject>.+)$)"},

    // --- one file
    {Topic::file, Needs::file, kKeep,
     R"(^(?:show|read|open|cat|head|print|display|view)(?: (?:me|the|file|contents? of|text of|source of|first lines of|beginning of|lines? \d+\S*(?: ?(?:-|to|and) ?\d+)?|of|in|from))* (?P<subject>\S+?)(?: file)?(?:,? (?:from |at |on |in |between )?(?:the )?lines? \d+.*)?$)",
     "show"},
    {Topic::file, Needs::file, kKeep,
     R"(^(?:(?:what(?:'s| is| does| do| are)|explain|describe|summari[sz]e|show|read|open|cat|head|print|display|view|look at|tell me about|give me|outline|walk me through|analy[sz]e|review|how does|document)(?: (?:me|in|inside|about|the|file|a|an|source|purpose of|contents? of|code (?:in|of)|summary of|outline of|overview of|through|what|to me|role of|point of|first lines of|beginning of))* )?(?P<subject>\S+?)(?: (?:do|does|for|about|contain|contains|file|is|mean|work|say|says|to me|good for|define|defines|used))*(?:,? (?:from |at |on |in |between )?(?:the )?lines? \d+.*)?$)"},

    {Topic::list, Needs::folder, kKeep,
     R"(^what(?:'s| is| are)?(?: there)? (?:in|inside|under|below) (?P<path>[`"']?[\w./~-]+[`"']?)$)"},

    // --- the project
    {Topic::project, Needs::nothing, kKeep,
     R"(^(?:summari[sz]e|describe|explain|outline|analy[sz]e|introduce|overview of|(?:tell|teach) me about|(?:give|write|show)(?: me)? (?:a|an|the)?(?: \w+)? ?(?:overview|summary|description|introduction|tour)(?: of| to)?|walk me through|what(?:'s| is| are| does)|how (?:is|does|do)|what can you (?:tell me|say) about)(?: (?:about|the (?:purpose|goal|architecture|structure|layout|design|point) of))? (?:(?:this|the|that|our|my|your|whole|entire|current)(?: whole| entire| current)? )?(?:(?:software|source|code) )?(?:project|repo|repository|code ?base|code|program|software|library|app|application|package|tree|source|it|this|here|directory|folder|thing|workspace)(?: (?:do|does|about|for|all about|here|work|works|is|structured|organi[sz]ed|laid out|built|good for|contain|to me|written in|in general))*$)"},
    {Topic::project, Needs::nothing, kKeep,
     R"(^(?:(?:give|write|show)(?: me)? )?(?:a |an |the )?(?:\w+ )?(?:overview|summary|architecture|big picture|tl;?dr|introduction|tour)$)"},
    {Topic::project, Needs::nothing, kKeep,
     R"(^(?:which|what|how many)(?: programming)? languages?\b.*$)"},
    {Topic::project, Needs::nothing, kKeep, R"(^what is (?:this|it)$)"},

    // --- one name in code
    {Topic::symbol, Needs::name, kSplit,
     R"(^(?:what|how) (?:does|do) (?P<subject>.+?) (?:do|mean|return|stand for|represent|contain|look like|compute|take)$)"},
    {Topic::symbol, Needs::code_name, kSplit,
     R"(^(?:how (?:does|do|is|are)|explain|describe|summari[sz]e|show|tell me about|what(?:'s| is| are)|document|print|display|walk me through|analy[sz]e|understand)(?: me| how)? (?P<subject>.+?)(?: (?:work|works|working|implemented|for|about|used for|look like|called for|function))*$)"},
    {Topic::symbol, Needs::name, kSplit,
     R"(^(?:explain|what(?:'s| is| are)(?: a| an| the)?|describe) (?P<subject>\S+)$)"},

    // --- searching
    {Topic::search, Needs::subject, kSplit,
     R"(^(?:grep|rg|ack|search)(?: (?:for|all|the|text|string|word|through|files|lines?(?: (?:containing|with|matching))?|me))* (?P<subject>.+)$)"},
    {Topic::search, Needs::quoted, kSplit,
     R"(^(?:find|look|locate|show|list|where)(?: (?:for|all|the|text|string|word|lines?|me|is|are|does|do|of|that|contain(?:ing|s)?|with|match(?:ing)?|say|have|come|appear))* (?P<subject>["'].+["'])(?: (?:appear|come from|printed|show up|said))*$)"},
    {Topic::definition, Needs::name, kSplit,
     R"(^(?:find|locate|show|where (?:is|are|can i find)|where's|get|look for|search for)(?: me)?(?: all)? (?P<subject>.+?)(?: (?:live|at|found))?$)"},

    // --- a bare name, file or folder
    {Topic::symbol, Needs::code_name, kKeep, R"(^(?P<subject>\S+)$)"},

    // --- what nobody here can do, so that it is not taken for a search
    {Topic::unknown, Needs::nothing, kKeep,
     R"(^(?:write|fix|refactor|implement|change|add|remove|delete|create|generate|translate|rename|improve|optimi[sz]e|make|build|run|compile|install|draw|sing|tell)\b)"},

    // --- anything else that is asked
    {Topic::idea, Needs::subject, kSplit,
     R"(^(?:how|where|why|when|what|which|who|explain|describe|show|find|look|locate|is there|are there|does|do|can|is|are)\b(?P<subject>.+)$)"},
};

std::vector<Recogniser> compiled() {
  RE2::Options options;
  options.set_case_sensitive(false);
  options.set_log_errors(false);
  std::vector<Recogniser> table;
  for (const Row& row : kRows) {
    table.push_back({row.topic, row.needs, row.scope, row.qualifier,
                     std::make_unique<RE2>(row.pattern, options)});
  }
  return table;
}

}  // namespace

std::span<const Recogniser> recognisers() {
  static const std::vector<Recogniser> kTable = compiled();
  return kTable;
}

}  // namespace wright::offline
