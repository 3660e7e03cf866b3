// Tools that change files: they write below the folders that they were given and nowhere else, and
// a patch that does not fit changes nothing.
#include <stdlib.h>
#include <wright/wright.h>

#include <filesystem>
#include <iostream>
#include <string>

namespace {

// A folder that goes with everything in it.
struct Folder {
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "wright-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

}  // namespace

int main() {
  const Folder folder;
  std::filesystem::create_directory(folder.path / "project");
  const wright::FileAccess access{.base = folder.path / "project",
                                  .readable = {},
                                  .writable = {"."}};  // the base itself, and nothing else
  auto tools = wright::file_tools(access);
  const auto editing = wright::editing_tools(access);
  if (!tools || !editing) return 1;
  tools->insert(tools->end(), editing->begin(), editing->end());

  const auto call = [&](const std::string& name, const wright::JsonObject& arguments) {
    const auto outcome =
        wright::execute(*tools, {}, {"call_1", name, wright::to_text(arguments)}, {});
    std::cout << name << (outcome.result.is_error ? " failed: " : ": ") << outcome.result.content
              << "\n\n";
  };

  call("write_file", {{"path", "src/main.py"},
                      {"content", "def greet():\n    print('hello')\n\ngreet()\n"},
                      {"create_dirs", true}});
  call("write_file", {{"path", "src/main.py"}, {"search", "hello"}, {"replace", "good morning"}});
  call("write_file", {{"path", "src/main.py"}, {"search", "greet"}, {"replace", "say"}});

  wright::JsonObject patch;
  patch["patch"] = R"(*** Begin Patch
*** Update File: src/main.py
*** Move to: src/greeting.py
@@ def greet():
-    print('good morning')
+    print('good evening')
*** Add File: README.md
+A greeting.
*** End Patch)";
  call("apply_patch", patch);

  // One part fits, the other does not: neither is carried out.
  patch["patch"] = R"(*** Begin Patch
*** Delete File: README.md
*** Update File: src/greeting.py
@@
-    print('good night')
+    print('good afternoon')
*** End Patch)";
  call("apply_patch", patch);

  // Where files are commands, nothing is written.
  call("write_file", {{"path", ".git/hooks/pre-commit"}, {"content", "never"}});
  call("list_files", {{"pattern", "*"}, {"mode", "tree"}});
  return 0;
}
