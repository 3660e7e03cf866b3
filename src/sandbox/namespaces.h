// The namespaces of a sandbox: made once, with the tree of files in place, and entered by every
// run, which adds a copy of the tree, a PID namespace and an IPC namespace of its own.
#pragma once

#include <string>

#include "core/file_descriptor.h"
#include "sandbox/file_tree.h"
#include "wright/error.h"
#include "wright/sandbox.h"

namespace wright::sandbox {

class Namespaces {
 public:
  // The error says what this machine refuses. `root` is an empty folder to put the tree together
  // in; nothing is seen of that from outside.
  static Result<Namespaces> make(const FileTree& tree, const std::filesystem::path& root,
                                 NetworkAccess network);

  // Descriptors to enter them by, all above 9; -1 where there is none of its own.
  int user() const { return user_.get(); }
  int mount() const { return mount_.get(); }
  int network() const { return network_.get(); }
  int root() const { return root_.get(); }  // the folder / of the tree

  // The file that a path leads to inside; not open when there is none. With O_NOFOLLOW also a link.
  FileDescriptor find(const std::string& path, int flags = 0) const;

 private:
  FileDescriptor user_;
  FileDescriptor mount_;
  FileDescriptor network_;
  FileDescriptor root_;
};

}  // namespace wright::sandbox
