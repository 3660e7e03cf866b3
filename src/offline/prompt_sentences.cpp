#include "offline/prompt_sentences.h"

#include <array>
#include <memory>
#include <mutex>

namespace wright::offline {
namespace {

#define LIST \
  R"((?:(?:list|show|find|give|get|print|display|what|which)(?: me| are| is)?(?: all)?(?: of)?(?: the| its| their)? ))"
#define PROJECT \
  R"((?:(?:this|the|our|my)(?: whole| entire| current)? (?:software )?(?:project|repo|repository|code ?base|code|program|software|library|app|application|package|tree|workspace|monorepo)|this|it|here))"
#define IN_PROJECT                                         \
  "(?: (?:of|in|for|does|do|are there in|are in) " PROJECT \
  "(?: use| have| need)?| are there| there are| is there| here)?"
#define FOLDER R"((?:folder|directory|dir))"

constexpr Sentence
    kSentences
        [] =
            {
                {Topic::capabilities, Needs::nothing,
                 R"((?:hi|hello|hey|help|thanks?|thank you|good (?:morning|evening|day))(?: \w+)?|who are you|what are you|(?:are|is) (?:you|this) (?:a|an|really an?) (?:llm|language model|ai|bot|real model)|what (?:can|do) you (?:do|know|understand|answer)|what (?:questions?|kinds? of questions?) .*(?:ask|answer|understand).*)"},

                // --- the project
                {Topic::project, Needs::nothing,
                 R"((?:summari[sz]e|describe|explain|outline|introduce|tell me about|walk me through|what is|what's|what does|(?:give me |show me )?an? (?:short |brief |quick )?(?:overview|summary) of) )" PROJECT
                 "(?: do| about| all about| for)?"},
                {Topic::project, Needs::nothing,
                 R"((?:(?:give|show)(?: me)? )?(?:an? |the )?(?:project )?(?:overview|summary))"},
                {Topic::entry_points, Needs::nothing,
                 LIST R"((?:main )?(?:entry[- ]?points?|main functions?|main programs?))" IN_PROJECT
                      "|where (?:does|do) (?:the |this "
                      ")?(?:program|app|application|project|execution|it) (?:start|begin)|where "
                      "(?:is|are) the (?:entry[- ]?points?|main functions?)" IN_PROJECT},
                {Topic::how_to, Needs::nothing,
                 R"(how (?:do|can|should|would) (?:i|you|we|one) (?P<qualifier>build|compile|install|run|start|test|use|set up)(?: )" PROJECT
                 R"(| (?:the|its) tests)?)"},
                {Topic::how_to, Needs::nothing,
                 R"(how (?:is|are) (?:)" PROJECT
                 R"(|the tests) (?P<qualifier>built|compiled|installed|run|started|tested|used))"},
                {Topic::how_to, Needs::nothing,
                 R"((?:how to|steps to|instructions to) (?P<qualifier>build|compile|install|run|start|test|use)(?: )" PROJECT
                 ")?"},
                {Topic::dependencies, Needs::nothing,
                 LIST
                 R"((?:third[- ]party |external |direct )?(?:dependencies|libraries))" IN_PROJECT
                 "|what (?:does|do) " PROJECT " (?:depend on|require)|dependencies"},
                {Topic::packages, Needs::nothing,
                 LIST R"((?:packages|crates|subprojects|workspace members))"
                      "(?: (?:in|of|are in|are there in) " PROJECT ")?"},
                {Topic::licence, Needs::nothing,
                 R"((?:(?:what|which)(?: is| are)?(?: the| its)? )?licen[cs]e(?: (?:is|does|of|for) )" PROJECT
                 R"((?: under| use| have)?|)"
                 R"( is this| is it under)?|how is )" PROJECT
                 R"( licen[cs]ed|(?:under )?(?:what|which) licen[cs]e(?: is| does) )" PROJECT
                 R"((?: use| have| under| released under)?)"},
                {Topic::todos, Needs::nothing,
                 "(?:" LIST
                 R"(|are there |how many )?(?:any |open )*(?:to-?dos?|fixmes?)(?: (?:and|or) (?:to-?dos?|fixmes?))?(?: (?:comments|items|notes|marks))?)" IN_PROJECT},
                {Topic::flags, Needs::nothing,
                 LIST R"((?:(?:cli|command[- ]line) (?:flags|options|switches|arguments)|flags))"
                      "(?:" IN_PROJECT
                      "| (?:does|do) (?:it|the \\S+) (?:have|take|accept|understand))"},

                // --- one file
                {Topic::file, Needs::file,
                 R"((?:show|read|open|cat|print|display|view)(?: (?:me|the|file|contents? of|text of|source of|lines? \d+\S*(?: ?(?:-|to|and) ?\d+)?|of))* (?P<subject>\S+?)(?: file)?(?:,? (?:from |at |between )?(?:the )?lines? \d+.*)?)",
                 "show"},
                {Topic::file, Needs::file,
                 R"((?:how many lines (?:does|do|are in|has|are there in)|how (?:long|big|large) is)(?: the)?(?: file)? (?P<subject>\S+?)(?: have| has| contain)?)"},
                {Topic::file, Needs::file,
                 R"((?:(?:what(?:'s| is| does)|explain|describe|summari[sz]e|outline|tell me about)(?: in)?(?: the)?(?: file)? )?(?P<subject>\S+?)(?: (?:do|for|about|contain|define))?(?: file)?)"},
                {Topic::find_files, Needs::file,
                 R"((?:where(?:'s| is)|find|locate)(?: the)?(?: file)? (?P<subject>\S+?)(?: file)?(?: located)?)"},
                {Topic::find_files, Needs::glob,
                 "(?:(?:" LIST
                 R"()?(?:files )?(?:that |which )?(?:match(?:ing)? |named |called )?)?(?P<subject>\S+)(?: files?)?(?: are there)?)"},
                {Topic::find_files, Needs::text,
                 LIST
                 R"(files (?:named|called|whose names? (?:is|contains?)|with names? like) (?P<subject>\S+))"},

                // --- folders
                {Topic::folder, Needs::folder,
                 R"((?:list|show|ls|summari[sz]e|describe|explain|outline|what(?:'s| is| are)(?: there)? in|what(?:'s| is)|what does|tell me about|what files are in|list (?:the )?(?:files|contents) (?:in|of))(?: me)?(?: the)? )" FOLDER
                 R"((?: called| named)? (?P<subject>[`"']?\S+)(?: contain| do| for| about)?)"},
                {Topic::folder, Needs::folder,
                 R"((?:list|show|ls|summari[sz]e|describe|explain|outline|what(?:'s| is| are)(?: there)? in|what(?:'s| is)|what does|tell me about|what files are in|list (?:the )?(?:files|contents) (?:in|of))(?: me)?(?: the)? (?P<subject>[`"']?\S+) )" FOLDER
                 R"((?: contain| do| for| about)?)"},
                {Topic::folder, Needs::folder,
                 R"((?:ls|list|what(?:'s| is| are)(?: there)? in|what files are in|summari[sz]e|describe|list (?:the )?(?:files|contents) (?:in|of))(?: the)? (?P<subject>[\w.-]+/[\w./-]*|/\S+|\.\.?/\S*))"},
                {Topic::folder, Needs::folder,
                 R"(what(?:'s| is) (?:in|inside|below|under)(?: the)? (?P<subject>[`"']?[\w./~-]+[`"']?))"},
                {Topic::folder, Needs::nothing,
                 R"((?:ls|list|tree|what(?:'s| is| files are)? (?:in )?(?:this )" FOLDER
                 R"(|here)|list (?:the )?(?:files|contents|folders)(?: (?:in|of) this )" FOLDER
                 R"(| here)?|(?:folder|directory|project) (?:structure|layout|tree)))"},

                // --- members and descendants
                {Topic::members, Needs::name,
                 "(?:" LIST R"(|how many )?)"
                 R"((?:(?P<visibility>public|protected|private) )?(?P<qualifier>methods|member functions|fields|members|attributes|properties|enumerators|values) (?:does|do|of|in|has|are in|are there in|belong to)(?: the)?(?: class| struct| interface| enum| trait| type)? (?P<subject>\S+)(?: class| struct| interface| enum| trait)?(?: have| has| define| contain)?)"},
                {Topic::subclasses, Needs::name,
                 "(?:" LIST
                 R"()?(?:classes|structs|types|interfaces|everything|things)? ?(?:that |which )?(?:inherits?(?: from)?|inheriting(?: from)?|extends?|extending|derives?(?: from)?|derived from|deriving from|subclass(?:es)?|implements?|implementing)(?: the)?(?: class| interface| trait)? (?P<subject>\S+))"},
                {Topic::subclasses, Needs::name,
                 "(?:" LIST
                 R"()?(?:subclasses|derived classes|descendants|implementations|implementors|child classes) of(?: the)?(?: class| interface| trait)? (?P<subject>\S+))"},

                // --- uses
                {Topic::usage, Needs::name,
                 R"(where(?:'s| is| are) (?P<subject>.+?) (?:being )?(?:used|called|referenced|invoked|mentioned|imported|included|instantiated))"},
                {Topic::usage, Needs::code_name,
                 R"(where(?:'s| is| are) (?P<subject>.+?) (?:being )?(?:raised|thrown|caught|handled|read|written|set|assigned|created|constructed|initiali[sz]ed|returned|passed|checked|updated|modified|changed|registered|overridden|exported|tested))"},
                {Topic::usage, Needs::name,
                 R"(where (?:do|does|did) (?:we|you|i|it|they|the code|the program|)" PROJECT
                 R"() (?:use|call|reference|invoke|import|include|mention) (?P<subject>.+))"},
                {Topic::usage, Needs::name,
                 R"((?:who|what|which (?:functions?|code|methods?|places|classes)) (?:calls?|uses?|references?|invokes?|imports?|includes?|instantiates?) (?P<subject>.+))"},
                {Topic::usage, Needs::name,
                 "(?:" LIST
                 R"()?(?:usages?|uses|callers?|references|calls|call ?sites|mentions|occurrences) (?:of|to) (?P<subject>.+))"},
                {Topic::usage, Needs::name,
                 R"(how (?:many times|often) (?:is|are|does|do) (?P<subject>.+?) (?:used|called|referenced|mentioned|appear|occur))"},
                {Topic::usage, Needs::name,
                 R"(is (?P<subject>.+?) (?:used|called|referenced)(?: anywhere| at all| somewhere)?)"},

                // --- text
                {Topic::containing_files, Needs::text,
                 "(?:" LIST
                 R"(|how many |in which )files (?:that |which |do )?(?:contain|mention|include|reference|use|import)(?:s|ing)?(?: the (?:text|word|string))? (?P<subject>.+))"},
                {Topic::search, Needs::text,
                 R"((?:grep|rg|search)(?: for)?(?: the (?:text|word|string))? (?P<subject>.+))"},
                {Topic::search, Needs::text,
                 "(?:" LIST
                 R"(|search for |look for )lines? (?:that |which )?(?:contain|mention|with|match)(?:s|ing)? (?P<subject>.+))"},
                {Topic::search, Needs::quoted,
                 R"((?:find|look for|where (?:is|does))(?: the (?:text|word|string|message))? (?P<subject>.+?)(?: (?:printed|appear|come from))?)"},

                // --- definitions
                {Topic::definition, Needs::phrase,
                 R"(where(?:'s| is| are| was) (?P<subject>.+?) (?:defined|declared|implemented|located|specified|coded))"},
                {Topic::definition, Needs::phrase,
                 R"(where (?:do|does|did) (?:we|you|i|it|they|the code|the program|)" PROJECT
                 R"() (?:define|declare|implement) (?P<subject>.+))"},
                {Topic::definition, Needs::name,
                 R"((?:(?:find|show|go to|give|what is|what's|where is)(?: me)?(?: the)? |the )?(?:definition|declaration|implementation|signature|source(?: code)?|code|value|body) (?:of|for) (?P<subject>.+))"},
                {Topic::definition, Needs::name,
                 R"((?:in )?(?:which|what) (?:file|header|module)s? (?:defines?|declares?|implements?|contains? the definition of|is|has) (?P<subject>.+?)(?: (?:defined|declared|implemented)(?: in)?| in)?)"},
                {Topic::definition, Needs::name,
                 R"((?:what does|what do) (?P<subject>.+?) (?:do|mean))"},
                {Topic::definition, Needs::name,
                 R"((?:how many lines (?:does|do|has|are in)|how (?:long|big|large) is) (?P<subject>.+?)(?: have| has)?)"},
                {Topic::definition, Needs::code_name,
                 R"((?P<subject>(?:class|struct|function|method|interface|enum|trait|macro|namespace|typedef) \S+))"},
                {Topic::definition, Needs::code_name,
                 R"((?:what(?:'s| is| are)|explain|describe|show(?: me)?|find|locate|tell me about|how does|how is|where(?:'s| is| are)|define|go to|look up) (?P<subject>.+?)(?: work| works| for)?)"},
                {Topic::definition, Needs::phrase, R"(where(?:'s| is| are) (?P<subject>.+))"},
                {Topic::definition, Needs::code_name, R"((?P<subject>\S+))"},
};

}  // namespace

const std::string_view kProjectPattern = PROJECT;
const std::string_view kFolderPattern = FOLDER;

std::span<const Sentence> prompt_sentences() {
  return kSentences;
}

const RE2& pattern_of(const Sentence& sentence) {
  struct Compiled {
    std::once_flag once;
    std::unique_ptr<RE2> pattern;
  };
  static std::array<Compiled, std::size(kSentences)> all;
  Compiled& compiled = all[static_cast<std::size_t>(&sentence - kSentences)];
  std::call_once(compiled.once, [&] {
    RE2::Options options;
    options.set_case_sensitive(false);
    compiled.pattern = std::make_unique<RE2>(sentence.pattern, options);
  });
  return *compiled.pattern;
}

}  // namespace wright::offline
