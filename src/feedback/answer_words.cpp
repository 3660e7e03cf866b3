#include "feedback/answer_words.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/text.h"
#include "wright/json.h"

namespace wright::feedback {
namespace {

constexpr std::size_t kLookedAt = 4'000;       // bytes
constexpr std::size_t kLongestSentence = 160;  // bytes that are shown
constexpr std::size_t kLongestRefusal = 600;   // bytes; a longer text also contains an answer
constexpr std::size_t kLongestOpening = 300;   // bytes within which a refusal must begin

// Said by the one who answers. "The parser cannot…" is an answer about a parser.
constexpr auto kRefusingPhrases = std::to_array<std::string_view>(
    {"i cannot", "i can't", "i can not", "i am unable", "i'm unable", "i am not able",
     "i'm not able", "i could not", "i couldn't", "i was unable", "i was not able", "i wasn't able",
     "i won't", "i will not", "i'm not allowed", "i am not allowed", "i must decline",
     "i have to decline", "i do not have access", "i don't have access", "i do not have a tool",
     "i don't have a tool", "i do not have the tool", "i don't have the tool", "i have no tool",
     "i have no way", "i do not know", "i don't know", "i do not understand", "i don't understand",
     "i did not understand", "i didn't understand", "i do not recognise", "i do not recognize",
     "i don't recognise", "i don't recognize", "not possible to determine",
     "not possible to answer", "not possible to tell", "not possible for me",
     "cannot be determined", "can't be determined", "could not be determined", "cannot be answered",
     "could not be answered", "can't help with", "cannot help with", "none of my tools",
     "none of the available tools", "no tool is available", "no tools are available",
     // German, Dutch
     "ich kann nicht", "kann ich nicht", "kann ich leider nicht", "ich kann leider nicht",
     "ich konnte nicht", "ich bin nicht in der lage", "ich darf nicht", "ich habe kein werkzeug",
     "ik kan niet", "kan ik niet",
     // French, Spanish, Portuguese, Italian
     "je ne peux pas", "je ne suis pas en mesure", "je n'ai pas pu", "il m'est impossible",
     "no puedo", "no me es posible", "no he podido", "no tengo acceso", "não posso", "não consigo",
     "não é possível determinar", "non posso", "non sono in grado", "non riesco",
     // Russian, Chinese, Japanese, Korean
     "я не могу", "Я не могу", "не удалось определить", "我无法", "我不能", "无法确定", "無法",
     "できません", "分かりません", "할 수 없습니다"});

// "I could not find any use of X" answers where X is used.
constexpr auto kNotDenied = std::to_array<std::string_view>(
    {" find", " see any", " see a", " help but", " recommend", " stress", " think of", " detect",
     " encontrar", " trouver", " finden", " trovare"});

constexpr auto kContrasts = std::to_array<std::string_view>(
    {" but ", " however", " nevertheless", " instead", " aber ", " jedoch", " mais ", " cependant",
     " pero ", " sin embargo", " mas ", " porém", " ma ", " tuttavia", " но ", "但", "しかし",
     " maar "});

// In lower case, with plain apostrophes.
std::string plain(std::string_view text) {
  std::string made = lower(text);
  constexpr std::string_view kCurly = "’";
  for (std::size_t at = made.find(kCurly); at != std::string::npos; at = made.find(kCurly, at)) {
    made.replace(at, kCurly.size(), "'");
  }
  return made;
}

bool is_letter_at(std::string_view text, std::size_t at) {
  return at < text.size() && (is_letter(text[at]) || text[at] == '\'');
}

// Where the earliest denial begins. A phrase in Latin letters must not be part of a longer word.
std::optional<std::size_t> denial_in(std::string_view text) {
  std::optional<std::size_t> first;
  for (const std::string_view phrase : kRefusingPhrases) {
    for (std::size_t at = text.find(phrase); at != std::string_view::npos;
         at = text.find(phrase, at + 1)) {
      if (first && at >= *first) break;
      const std::size_t end = at + phrase.size();
      const bool is_inside_word = (at > 0 && is_letter_at(text, at - 1) && is_letter(phrase[0])) ||
                                  (is_letter(phrase.back()) && is_letter_at(text, end));
      if (is_inside_word) continue;
      const std::string_view rest = text.substr(end);
      const bool is_other = std::ranges::any_of(
          kNotDenied, [&](std::string_view words) { return rest.starts_with(words); });
      if (!is_other) first = at;
    }
  }
  return first;
}

bool is_end_of_sentence(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == '\n') return true;
  const bool is_mark = c == '.' || c == '!' || c == '?';
  return is_mark && (at + 1 == text.size() || text[at + 1] == ' ' || text[at + 1] == '\n');
}

// The sentence around a position, shortened.
std::string sentence_at(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && !is_end_of_sentence(text, begin - 1)) --begin;
  std::size_t end = at;
  while (end < text.size() && !is_end_of_sentence(text, end)) ++end;
  if (end < text.size() && text[end] != '\n') ++end;
  const std::string_view sentence = trimmed(text.substr(begin, end - begin));
  const std::string_view head = utf8_prefix(sentence, kLongestSentence);
  return std::string(head) + (head.size() < sentence.size() ? "…" : "");
}

bool ends_with_question(std::string_view answer) {
  return answer.ends_with('?') || answer.ends_with("？") || answer.ends_with("؟");
}

}  // namespace

AnswerWords words_of_answer(std::string_view answer) {
  using Kind = AnswerWords::Kind;
  answer = trimmed(answer);
  if (answer.empty()) return {.kind = Kind::nothing};
  const std::string_view head = utf8_prefix(answer, kLookedAt);
  const std::string text = plain(head);
  // Curly apostrophes make the two differ in length; then the plain one is shown.
  const std::string_view shown = text.size() == head.size() ? head : std::string_view(text);
  const auto denial = denial_in(text);
  if (denial) {
    const std::size_t opening =
        std::min({kLongestOpening, text.find('\n'),
                  text.find(". ") == std::string::npos ? std::string::npos : text.find(". ") + 2});
    const bool begins = *denial < opening;
    if (begins) {
      const std::string_view rest = std::string_view(text).substr(*denial);
      const bool has_contrast = std::ranges::any_of(kContrasts, [&](std::string_view words) {
        return rest.find(words) != std::string_view::npos;
      });
      // "These are search results, not an answer: …", however much follows.
      const bool says_no_answer =
          rest.substr(0, kLongestOpening).find("not an answer") != std::string_view::npos;
      return {
          .kind = Kind::refusal,
          .sentence = sentence_at(shown, *denial),
          .answers_anyway = !says_no_answer && (has_contrast || answer.size() > kLongestRefusal)};
    }
  }
  if (ends_with_question(answer)) {
    return {.kind = Kind::asked_back, .sentence = sentence_at(answer, answer.size() - 1)};
  }
  if (denial) return {.kind = Kind::partial, .sentence = sentence_at(shown, *denial)};
  return {};
}

}  // namespace wright::feedback
