// A shared library that is opened when something of it is called for the first time. Most commands
// talk to no model over the internet, to no PostgreSQL, and encrypt nothing; libcurl, libpq and
// OpenSSL bring some thirty libraries, whose loading would take most of the time of such a command.
//
// late_curl.cpp, late_pq.cpp and late_ssl.cpp define the functions of those libraries that Wright
// calls, under their own names and hidden, so that the linker finds them in the program and needs
// no library. Where there is none, what makes the first object (curl_easy_init, curl_url,
// PQconnectdbParams) gives a null pointer, and Wright says what to install.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace wright::late {

class Library {
 public:
  // The first of these that can be opened. It is never closed.
  Library(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (handle_ == nullptr) handle_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }

  // Null where it has no such function.
  void* find(const char* name) const {
    return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
  }

 private:
  void* handle_ = nullptr;
};

// Calls the library's own function. `without` is the answer where there is none.
template <auto Function, const Library& (*library)(), typename Answer, typename... Arguments>
Answer call(const char* name, Answer without, Arguments... arguments) {
  static const auto own = reinterpret_cast<decltype(Function)>(library().find(name));
  return own == nullptr ? without : own(arguments...);
}

template <auto Function, const Library& (*library)(), typename... Arguments>
void call_void(const char* name, Arguments... arguments) {
  static const auto own = reinterpret_cast<decltype(Function)>(library().find(name));
  if (own != nullptr) own(arguments...);
}

// Calls the library's own function. Without it, the program ends.
template <auto Function, const Library& (*library)(), typename... Arguments>
auto needed(const char* name, Arguments... arguments) {
  static const auto own = reinterpret_cast<decltype(Function)>(library().find(name));
  if (own == nullptr) {
    std::fprintf(stderr,
                 "wright: cannot find %s: install OpenSSL 3 (on Debian the package libssl3)\n",
                 name);
    std::_Exit(127);
  }
  return own(arguments...);
}

}  // namespace wright::late
