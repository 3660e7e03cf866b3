// What people are asked, and what they answer: approvals and questions.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"
#include "wright/json.h"
#include "wright/schema.h"

namespace wright {

// What people answer to calls that wait for them, and what a run remembers of it.

// Whether somebody may answer what a tool or a rule asks.
enum class People : std::uint8_t {
  may_answer_later,  // the run waits until somebody has
  nobody,            // the call fails at once and says so
};

// A person's word on whether a call may run.
enum class Decision : std::uint8_t {
  once,     // this call, with these arguments
  session,  // also further ones of its kind in this session
  refuse,   // not this call
  never,    // none of its kind in this session
};
std::string_view to_string(Decision decision);
Result<Decision> decision_from(std::string_view name);

struct Approval {
  Decision decision = Decision::refuse;
  std::string reason = {};
  bool operator==(const Approval&) const = default;
};
Json to_json(const Approval& approval);  // as answer_wait() takes it

// A person's word on a call that may or may not have had its effect before a crash.
enum class Settlement : std::uint8_t {
  done,    // it happened
  failed,  // it did not happen
  retry,   // run it again
};
std::string_view to_string(Settlement settlement);
Result<Settlement> settlement_from(std::string_view name);

// By the model's id of the call.
using Settlements = std::map<std::string, Settlement, std::less<>>;

// What a model is told of a call of a `write` tool that was interrupted and that nobody settled.
inline constexpr std::string_view kOutcomeUnknown =
    "The outcome of this call is not known: the process ended while it ran. It may have happened "
    "or not, and it was not repeated. Find out before you do it again.";

// Something that a run cannot go on without: a person's answers or approval, or a result from
// outside. It is answered once.
enum class WaitKind : std::uint8_t { question, approval, result };
std::string_view to_string(WaitKind kind);
Result<WaitKind> wait_kind_from(std::string_view name);

// A call cannot go on before somebody has answered.
struct Waiting {
  WaitKind kind = WaitKind::question;
  Json shown = {};                                   // to whoever is to answer
  std::optional<std::chrono::seconds> timeout = {};  // absent: it waits for ever
  // WaitKind::approval: the kinds of calls that an approval for the session holds for.
  std::vector<std::string> covers = {};
  // What the call needs to go on, and only its tool understands: stored with the wait as it is,
  // shown to nobody, and given back with the answer.
  Json state = {};
  bool operator==(const Waiting&) const = default;
};

// What came of the run of a specialist: its text, or why it failed.
struct SpecialistResult {
  std::string text = {};
  std::optional<std::string> error = {};
  double duration_ms = 0;
  bool operator==(const SpecialistResult&) const = default;
};

// What a call that waited has got since.
struct WaitAnswers {
  std::optional<Approval> approval = {};
  Json approved = {};               // what they saw who gave that approval
  std::optional<Json> answer = {};  // a person's answers, or a result from outside
  Json state = {};                  // Waiting::state of what was answered so
  Json kept = {};                   // by Context::keep, before the process ended that executed it
  std::optional<SpecialistResult> specialist = {};
  bool operator==(const WaitAnswers&) const = default;
};

// What is remembered from call to call of one run: counts by name, and approvals that hold for the
// session, by kind of call. Thread-safe.
class RunMemory {
 public:
  int add_one(std::string_view name);  // how many there are now
  void forget(std::string_view name);

  void decide(std::string_view kind, Decision decision);
  std::optional<Decision> decided(std::string_view kind) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int, std::less<>> counts_;
  std::map<std::string, Decision, std::less<>> decisions_;
};

// What a rule says of a call.
enum class Permission : std::uint8_t { allow, deny, ask };
namespace intercept {
using wright::Permission;
}

// ask_user: questions that a model puts to a person, the rules for answers, and what may be kept of
// them. Who asks the person, and how, is not decided here.

enum class QuestionType : std::uint8_t {
  text,
  number,
  boolean,
  select,       // one of the options
  multiselect,  // any of the options, as an array
  password,     // never stored, logged or shown to the model
  file_path,
  email,
  url,
};
WRIGHT_ENUM(QuestionType, text, number, boolean, select, multiselect, password, file_path, email,
            url)

struct AnswerRules {
  std::optional<std::int64_t> min_length = {};  // characters; of a multiselect, how many
  std::optional<std::int64_t> max_length = {};
  std::optional<double> min_value = {};
  std::optional<double> max_value = {};
  std::optional<std::string> pattern = {};        // RE2, found anywhere in the answer
  std::optional<std::string> error_message = {};  // said instead of ours
};
WRIGHT_DESCRIBE_WHEN_USED(
    AnswerRules, WRIGHT_FIELD(min_length, "Fewest characters (multiselect: options)").at_least(0),
    WRIGHT_FIELD(max_length, "Most characters (multiselect: options)").at_least(0),
    WRIGHT_FIELD(min_value, "Lowest number"), WRIGHT_FIELD(max_value, "Highest number"),
    WRIGHT_FIELD(pattern, "Regular expression (RE2) that the answer must contain"),
    WRIGHT_FIELD(error_message, "What to tell a person whose answer does not fit"))

struct Question {
  std::string id = {};
  std::string question = {};
  QuestionType type = QuestionType::text;
  std::optional<Json> default_answer = {};  // "default" in JSON
  std::optional<std::vector<std::string>> options = {};
  std::optional<std::string> description = {};
  std::optional<AnswerRules> validation = {};
  bool is_optional = false;  // "optional" in JSON: may be left unanswered
};
WRIGHT_DESCRIBE_WHEN_USED(
    Question, WRIGHT_FIELD(id, "Names the answer; each once").min_length(1),
    WRIGHT_FIELD(question, "What the person reads").min_length(1),
    WRIGHT_FIELD(type, "What kind of answer").with_default(),
    WRIGHT_FIELD(default_answer, "The answer of a person who gives none").named("default"),
    WRIGHT_FIELD(options, "The choices of a select or multiselect"),
    WRIGHT_FIELD(description, "More about the question"),
    WRIGHT_FIELD(validation, "What the answer must be like"),
    WRIGHT_FIELD(is_optional, "Whether it may be left unanswered").named("optional").with_default())

struct AskUserRequest {
  std::vector<Question> questions = {};
  std::optional<std::string> prompt = {};
  bool required = true;
  std::optional<int> timeout_secs = {};
};
WRIGHT_DESCRIBE_WHEN_USED(
    AskUserRequest,
    WRIGHT_FIELD(questions, "The questions, asked together").min_items(1).max_items(50),
    WRIGHT_FIELD(prompt, "Why you ask, in a sentence before the questions"),
    WRIGHT_FIELD(required, "Whether the person must answer at all").with_default(),
    WRIGHT_FIELD(timeout_secs, "How long to wait for the answers").at_least(1))

struct QuestionAnswer {
  std::string question_id = {};
  Json answer = {};
};
WRIGHT_DESCRIBE_WHEN_USED(QuestionAnswer, WRIGHT_FIELD(question_id), WRIGHT_FIELD(answer))

struct AskUserResponse {
  bool completed = false;
  std::vector<QuestionAnswer> responses = {};
  std::string message = {};
};
WRIGHT_DESCRIBE_WHEN_USED(AskUserResponse, WRIGHT_FIELD(completed), WRIGHT_FIELD(responses),
                          WRIGHT_FIELD(message))

// As answer_wait() takes them.
Json to_json(const std::vector<QuestionAnswer>& answers);
// The questions that a wait shows (PersonWait::shown).
Result<AskUserRequest> questions_from(const Json& shown);

// Refuses questions that nobody can answer: empty or repeated ids, choices without options, limits
// that exclude each other, a pattern that is none, a default that breaks its own rules.
Result<void> check(const AskUserRequest& request);

struct AnswerProblem {
  std::string question_id = {};
  std::string message = {};  // never contains what a person typed as a password
  bool operator==(const AnswerProblem&) const = default;
};

// Everything that is wrong with the answers, in the order of the questions; then answers to
// questions that nobody asked. Empty when they may be accepted.
std::vector<AnswerProblem> validate_answers(const AskUserRequest& request,
                                            const std::vector<QuestionAnswer>& answers);

// Answers in two parts, because only one of them may be kept.
struct AcceptedAnswers {
  AskUserResponse response;                    // for the store, the log and the model
  std::map<std::string, std::string> secrets;  // by question id; for the program alone
};

// What stands in `response` for a password.
inline constexpr const char* kHiddenAnswer = "(hidden)";

// The answers in the order of the questions, with defaults filled in and numbers and booleans that
// came as text put right. Fails with everything that validate_answers() finds.
Result<AcceptedAnswers> accept_answers(const AskUserRequest& request,
                                       const std::vector<QuestionAnswer>& answers);

}  // namespace wright
