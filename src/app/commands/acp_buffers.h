// The files as an editor has them: what is typed there and not saved yet is told to the model
// beside what a tool reads, is never written over, and what a tool wrote is shown in the editor at
// once. The tools work on the files themselves, so that checks, diffs, undo and approvals stay
// theirs.
#pragma once

#include <optional>
#include <string>

#include "app/commands/acp_peer.h"
#include "wright/agent.h"

namespace wright::app {

// What the editor can do with files (fs/read_text_file, fs/write_text_file).
struct EditorFiles {
  bool reads = false;
  bool writes = false;
};

class AcpBuffers {
 public:
  // The peer outlives it. `base` is absolute.
  AcpBuffers(AcpPeer& peer, EditorFiles editor, std::string session, std::string base);

  // To stand innermost: rules and people have had their say.
  void watch(Agent& agent) const;

 private:
  Result<ToolReply> around(const Invocation& invocation, const Context& context,
                           const Next& next) const;
  // What differs in the editor from the file; nothing where it is the same, or not known.
  std::optional<std::string> unsaved(const std::string& path, const Context& context) const;
  void show(const std::string& path, const Context& context) const;
  Result<JsonObject> ask(std::string_view method, JsonObject params, const Context& context) const;

  AcpPeer& peer_;
  const EditorFiles editor_;
  const std::string session_;
  const std::string base_;
};

}  // namespace wright::app
