#include "offline/process_request.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>

#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr std::size_t kLongestText = 4000;
constexpr std::size_t kLongestPart = 300;
constexpr std::size_t kMostSteps = 8;

constexpr std::string_view kActions =
    R"(automat(?:e|es|ing|ion)|build|create|make|develop|implement|design|set up|generate|send|e-?mail|notify|alert|remind|sync(?:hroni[sz]e)?|import|export|process|read|fetch|collect|extract|scrape|parse|classify|sort|route|forward|reply|answer|summari[sz]e|report|update|insert|add|copy|move|upload|download|archive|back up|schedule|publish|post|convert|translate|track|monitor|check|validate|approve|reconcile|match|invoice|bill|onboard|integrate|connect|store|save|write)";

constexpr std::string_view kThings =
    R"(web ?site|web ?page|landing page|home ?page|web ?shop|shop|store|portal|dashboard|app|application|mobile app|chat ?bot|bot|assistant|tool|system|platform|service|workflow|pipeline|report|newsletter|blog|form|database|spreadsheet|api|script|game|crm|calendar|program|software)";

// A name that people use for a data source, and its kind.
struct SourceName {
  std::string_view pattern;
  std::string_view type;
};
constexpr auto kSources = std::to_array<SourceName>({
    {R"(gmail|outlook|imap|exchange|mailbox(?:es)?|inbox(?:es)?|e-?mails?)", "E-mail"},
    {R"(postgres(?:ql)?|mysql|mariadb|sqlite|oracle|sql server|mongodb|databases?|tables?)",
     "Database"},
    {R"(google sheets?|spreadsheets?|excel(?: files?| sheets?)?|airtable)", "Spreadsheet"},
    {R"(csv(?: files?)?|pdfs?|xml files?|json files?|documents|files|folders?|scans)", "Files"},
    {R"(s3|dropbox|google drive|onedrive|sharepoint|ftp(?: server)?)", "File storage"},
    {R"(slack|microsoft teams|discord|whatsapp|telegram)", "Chat"},
    {R"(shopify|woocommerce|magento|etsy|amazon orders)", "Shop system"},
    {R"(stripe|paypal|bank statements?|quickbooks|xero)", "Payments and accounting"},
    {R"(salesforce|hubspot|pipedrive|crm)", "CRM"},
    {R"(jira|github|gitlab|trello|asana|notion|zendesk|ticket system)", "Tracker"},
    {R"(google calendar|calendars?)", "Calendar"},
    {R"(web ?forms?|contact form|typeform|google forms?|surveys?)", "Form"},
    {R"((?:rest |web |public )?apis?|webhooks?|rss feeds?)", "API"},
});

constexpr std::string_view kActors =
    R"(customers?|clients?|users?|visitors?|employees?|colleagues|staff|managers?|admins?|accountants?|developers?|suppliers?|patients?|students?|teachers?|subscribers?|(?:the |our |my )?(?:[a-z]+ )?team|sales|support|marketing|accounting|human resources|hr|boss)";

// Any of the alternatives as whole words, in whatever case.
std::string words(std::string_view alternatives) {
  return fmt::format(R"((?i)\b(?:{})\b)", alternatives);
}

// Compiled once: there are many, and some are long.
struct Patterns {
  const RE2 action{words(kActions)};
  const RE2 begins_with_action{fmt::format(R"((?i)^(?:{})\s+\S)", kActions)};
  const RE2 asks_for_action{words(fmt::format(
      R"((?:please|must|shall|should|want to|need to|would like to|can you|could you|help me|help us|i'd like to)\s+(?:[a-z]+\s+){{0,2}}?(?:{}))",
      kActions))};
  const RE2 and_action{fmt::format(R"((?i)\s+and\s+({})\b)", kActions)};
  const RE2 automation{
      words(R"(automat(?:e|es|ing|ion)|workflow|pipeline|process(?:es|ing)? (?:of|for|that))")};
  const RE2 recurrence{words(
      R"(every (?:day|morning|evening|week|month|hour|night|time|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|whenever|when (?:a|an|the|somebody|someone|new)|daily|weekly|monthly)")};
  const RE2 thing{fmt::format(
      R"((?is)\b(?:build|create|make|develop|design|implement|set up|want|need|program|write)\b(?:\s+(?:me|us|a|an|the|my|our|new|simple|small|nice|some|kind|of|for|to|have|like)\b)*\s+(?:[a-z-]+\s+){{0,2}}?({})s?\b)",
      kThings)};
  const RE2 first_sentence{R"((?s)^(.+?)(?:[.!?](?:\s|$)|\n|$))"};
  const RE2 trigger{
      R"((?is)\b((?:every|each) (?:day|morning|evening|night|hour|week|month|year|quarter|minute|(?:mon|tues|wednes|thurs|fri|satur|sun)day|time [^.,;\n]+|\d+ \w+)|(?:when|whenever|once|as soon as) [^.,;\n]+|daily|weekly|monthly|hourly|nightly|at \d{1,2}(?::\d\d)?(?: ?[ap]m)?))"};
  const RE2 outcome{
      R"((?is)\b((?:send|e-?mail|post|notify|write|save|store|export|update|publish|alert|forward|move|copy|add|upload|insert|create|generate|reply)\b[^.;\n]*\b(?:to|into|in|as|on|with|for)\b[^.;\n]+))"};
  const RE2 actor{fmt::format(R"((?i)\b({})\b)", kActors)};
  const RE2 then{R"((?i)\s*(?:,|\band\b|;)*\s*\bthen\b\s*)"};
  const RE2 end_of_clause{R"((?:[.;!?]+(?:\s+|$))|,\s+and\s+)"};
  const RE2 announced_example{
      R"((?is)(?:for example|for instance|e\.g\.|such as)[,:]?\s+([^\n;]+?)(?:\.\s|\.?$|\n))"};
  const RE2 quoted_example{R"(["“]([^"”\n]{8,})["”])"};
  const RE2 english{words(
      R"(the|a|an|is|are|was|what|who|why|how|when|where|which|to|of|and|for|me|my|we|our|you|your|it|i|please|can|hello|hi|thanks|do|does|want|need)")};
  const RE2 elsewhere{words("to|into|and|then|as|by")};
  const RE2 writing{words(
      R"((?:creat|writ|sav|stor|updat|rais|fil|mov|copi|copy|forward|add|insert|upload|publish|export|post|send|open|log|put|book)(?:e|es|s|ing)?)")};
  const RE2 before_target{R"((?i)\b(?:in|into|to|on)\s+(?:(?:our|my|the|a|an)\s+)*$)"};
  const RE2 list_item{R"(^\s*(?:[-*•]|\d+[.)])\s)"};
  const RE2 goes_on{R"((?i)(?:,|\b(?:and|or|to|then|the|a|an|of|in|for|with))$)"};
  const RE2 object_of_verb{R"((?i)^\s+(?:a|an|the|me|us|them|it|him|her|every|my|our)\b)"};
};

const Patterns& patterns() {
  static const Patterns kPatterns;
  return kPatterns;
}

bool says(const std::string& text, const RE2& pattern) {
  return RE2::PartialMatch(text, pattern);
}

// What the first group of a pattern finds.
std::string found(const std::string& text, const RE2& pattern) {
  std::string group;
  if (!RE2::PartialMatch(text, pattern, &group)) return {};
  return std::string(trim(utf8_prefix(trim(group), kLongestPart)));
}

void add_once(std::vector<std::string>& list, std::string_view text) {
  const std::string made(trim(text));
  const bool is_there = std::ranges::any_of(
      list, [&](const std::string& other) { return lower(other) == lower(made); });
  if (!made.empty() && !is_there) list.push_back(made);
}

// Whether what stands at `name` is where something goes: "create a ticket in our Jira".
bool is_target(const std::string& text, const char* name) {
  const std::string_view before(text.data(), static_cast<std::size_t>(name - text.data()));
  const std::size_t clause = before.find_last_of(".;,\n");
  const re2::StringPiece words =
      clause == std::string_view::npos ? before : before.substr(clause + 1);
  return RE2::PartialMatch(words, patterns().before_target) &&
         RE2::PartialMatch(words, patterns().writing);
}

// A source is read when the words before it say so: "from our orders table", "when an e-mail
// arrives". "Send an e-mail" reads none, nor does "from here to Slack".
std::string source_read(const std::string& text, const RE2& pattern) {
  const re2::StringPiece whole(text);
  std::array<re2::StringPiece, 3> found;
  std::size_t from = 0;
  while (pattern.Match(whole, from, whole.size(), RE2::UNANCHORED, found.data(), found.size())) {
    const std::string_view name(found[2].data(), found[2].size());
    const char* end = name.data() + name.size();
    const re2::StringPiece rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const bool is_verb =
        lower(name).ends_with("mail") && RE2::PartialMatch(rest, patterns().object_of_verb);
    const bool is_read = !is_verb && !is_target(text, name.data()) &&
                         !RE2::PartialMatch(found[1], patterns().elsewhere);
    if (is_read) return std::string(name);
    from = static_cast<std::size_t>(found[0].data() - whole.data()) + 1;
  }
  return {};
}

std::vector<DataSource> sources_in(const std::string& text) {
  static const auto kPatterns = [] {
    std::vector<std::unique_ptr<RE2>> made;
    for (const SourceName& known : kSources) {
      made.push_back(std::make_unique<RE2>(fmt::format(
          R"((?i)\b(?:from|in|of|our|my|incoming|new|unread|read(?:s|ing)?|watch|check|import|fetch|parse|process|sort|classify|when(?:ever)?|each|every|all)\b([^.;,\n]{{0,40}}?)\b({})\b)",
          known.pattern)));
    }
    return made;
  }();
  std::vector<DataSource> sources;
  for (std::size_t i = 0; i < kSources.size(); ++i) {
    const std::string name = source_read(text, *kPatterns[i]);
    if (!name.empty()) sources.push_back({std::string(kSources[i].type), name, "read"});
  }
  return sources;
}

std::vector<DataSource> targets_in(const std::string& text) {
  static const auto kPatterns = [] {
    std::vector<std::unique_ptr<RE2>> made;
    for (const SourceName& known : kSources) {
      made.push_back(std::make_unique<RE2>(words(fmt::format("({})", known.pattern))));
    }
    return made;
  }();
  std::vector<DataSource> targets;
  for (std::size_t i = 0; i < kSources.size(); ++i) {
    re2::StringPiece rest(text);
    re2::StringPiece name;
    while (RE2::FindAndConsume(&rest, *kPatterns[i], &name)) {
      if (!is_target(text, name.data())) continue;
      targets.push_back({std::string(kSources[i].type), std::string(name), "written"});
      break;
    }
  }
  return targets;
}

// Sentences that were broken to fit a screen are whole again. A line that begins with something to
// do, or as an item of a list, stays a line.
std::string with_lines_joined(const std::string& text) {
  std::string joined;
  for (const std::string_view raw : split_lines(text)) {
    const std::string line(trim(raw));
    const std::size_t begin = joined.rfind('\n') == std::string::npos ? 0 : joined.rfind('\n') + 1;
    const std::string last = joined.substr(begin);
    const bool may_go_on = !last.empty() && !line.empty() && !says(line, patterns().list_item) &&
                           std::string_view(".!?:;").find(last.back()) == std::string_view::npos;
    const bool goes_on =
        may_go_on && (says(last, patterns().goes_on) || !says(line, patterns().begins_with_action));
    if (!joined.empty()) joined += goes_on ? ' ' : '\n';
    joined += line;
  }
  return joined;
}

std::vector<std::string> actors_in(const std::string& text) {
  std::vector<std::string> actors;
  re2::StringPiece rest(text);
  std::string actor;
  while (actors.size() < 6 && RE2::FindAndConsume(&rest, patterns().actor, &actor)) {
    for (const std::string_view article : {"the ", "our ", "my ", "The ", "Our ", "My "}) {
      if (actor.starts_with(article)) actor.erase(0, article.size());
    }
    add_once(actors, actor);
  }
  return actors;
}

// Clauses that say what is done: lines of a list, sentences, what stands between "then" and "and".
std::vector<std::string> steps_in(std::string text) {
  RE2::GlobalReplace(&text, patterns().then, "\n");
  RE2::GlobalReplace(&text, patterns().end_of_clause, "\n");
  RE2::GlobalReplace(&text, patterns().and_action, "\n\\1");
  std::vector<std::string> steps;
  for (std::string_view line : split_lines(text)) {
    line = trim(line);
    while (!line.empty() &&
           std::string_view("-*•0123456789.) ").find(line.front()) != std::string_view::npos) {
      line.remove_prefix(1);
    }
    const std::string step(utf8_prefix(line, kLongestPart));
    if (says(step, patterns().action) && steps.size() < kMostSteps) add_once(steps, step);
  }
  return steps;
}

std::vector<std::string> examples_in(const std::string& text) {
  std::vector<std::string> examples;
  add_once(examples, found(text, patterns().announced_example));
  add_once(examples, found(text, patterns().quoted_example));
  return examples;
}

}  // namespace

std::string without_credentials(std::string_view text) {
  static const RE2 kNamed(
      R"((?i)\b(pass ?words?|passwd|pass ?phrases?|pin|tokens?|api[ _-]?keys?|secrets?|credentials?)\b(\s*(?:is|are|=|:)\s*)(?:"[^"]*"|'[^']*'|\S+))");
  static const RE2 kKey(R"((?i)\b((?:sk|pk|ghp|gho|xox[bp]|AKIA)[-_A-Z0-9]{12,})\b)");
  static const RE2 kInUrl(R"((://[^\s/:@]+):[^\s/@]+@)");
  std::string made(text);
  RE2::GlobalReplace(&made, kNamed, R"(\1\2[left out])");
  RE2::GlobalReplace(&made, kKey, "[left out]");
  RE2::GlobalReplace(&made, kInUrl, R"(\1:[left out]@)");
  return made;
}

bool ProcessRequest::is_clear() const {
  return is_wish && thing.empty() && !sources.empty() && (!trigger.empty() || !outcome.empty()) &&
         !steps.empty();
}

ProcessRequest understand_process(std::string_view prompt) {
  const std::string text = with_lines_joined(
      without_credentials(utf8_prefix(to_valid_utf8(std::string(trim(prompt))), kLongestText)));
  ProcessRequest request;
  if (text.empty()) return request;
  const Patterns& known = patterns();
  request.goal = found(text, known.first_sentence);
  request.thing = lower(found(text, known.thing));
  request.is_wish = !request.thing.empty() || says(text, known.asks_for_action) ||
                    says(text, known.automation) || says(text, known.begins_with_action) ||
                    (says(text, known.action) && says(text, known.recurrence));
  request.is_foreign = !request.is_wish && !says(text, known.english);
  request.trigger = found(text, known.trigger);
  request.outcome = found(text, known.outcome);
  request.sources = sources_in(text);
  request.targets = targets_in(text);
  request.actors = actors_in(text);
  request.steps = steps_in(text);
  request.examples = examples_in(text);
  return request;
}

}  // namespace wright::offline
