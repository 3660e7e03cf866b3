// Assembles a response from the pieces in which it arrives, whatever the protocol: text, reasoning
// and calls as parts in the model's order. It does not know when a response is complete; its caller
// does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "providers/utf8_joiner.h"
#include "wright/provider.h"

namespace wright::providers {

class ResponseBuilder {
 public:
  using TextSink = ResponseDecoder::TextSink;

  // Continues the text at the end of the response, or begins one. `on_text` gets what is certain.
  void add_text(std::string_view piece, const TextSink& on_text);
  // Likewise for reasoning.
  void add_reasoning(std::string_view piece);
  // The reasoning at the end of the response, or a new one: for its opaque block.
  Reasoning& reasoning();
  // What the text at the end of the response cites; begins one where there is none.
  void cite(Citation source);
  // What the last text cites, whatever came after it.
  void cite_last(Citation source);
  // What the whole answer is from, where the vendor lists that beside it: for its last text.
  // Replaces an earlier list, since vendors repeat it.
  void set_sources(std::vector<Citation> sources) { sources_ = std::move(sources); }
  // What comes next is a new part, even if it is of the same kind.
  void end_part();
  // Of the texts that begin from now on.
  void set_phase(Text::Phase phase) { phase_ = phase; }
  // Of the last text, where it becomes known at its end.
  void set_phase_of_last(Text::Phase phase);
  // How much was added.
  std::size_t bytes() const { return bytes_; }
  // Receives the text that was held back when its part ends; null: no one does.
  void set_listener(const TextSink* listener) { listener_ = listener; }

  // Begins a call and returns its number, from 0. The name is as it was on the wire.
  std::size_t add_call(std::string_view id, std::string_view name);
  ToolCall& call(std::size_t number);
  void add_arguments(std::size_t number, std::string_view piece);
  // For a call that will never be complete: drops the arguments received so far.
  void drop_arguments(std::size_t number);
  std::size_t call_count() const { return calls_.size(); }

  std::string text() const { return response_.text(); }
  const std::vector<Part>& content() const { return response_.content; }
  bool is_empty() const { return response_.content.empty(); }
  Usage& usage() { return response_.usage; }
  const Usage& usage() const { return response_.usage; }
  void set_model(std::string_view name);
  void set_id(std::string_view id);  // the vendor's
  // Replaces what was read so far by the parts of `other`.
  void replace_content(ResponseBuilder other);

  // The response as it stands. Where the vendor names no cost, it is computed from the price. Empty
  // parts are left out. The builder is empty afterwards.
  Response take(StopReason reason, const ModelInfo& model);

 private:
  struct CallParts {
    std::size_t part;  // in response_.content
    Utf8Joiner joiner;
  };
  template <class PartType>
  std::string& text_of_last();
  bool begins_apart() const;
  Text* last_text();
  void add_sources();

  Response response_;
  std::vector<Citation> sources_;
  Utf8Joiner joiner_;  // of the last part, when it is text or reasoning
  bool continues_ = false;
  Text::Phase phase_ = Text::Phase::unmarked;
  Text::Phase told_ = Text::Phase::unmarked;  // of the last text, as those who listen know it
  std::size_t bytes_ = 0;
  const TextSink* listener_ = nullptr;
  std::vector<CallParts> calls_;
};

}  // namespace wright::providers
