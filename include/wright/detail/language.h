// The language that Wright is written in. Every public header reaches this one first.
#pragma once

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202100L
#error "Wright needs C++23: compile with -std=c++23, or link wright::wright in CMake"
// A file that is not there ends the compilation: so this is all that the compiler says.
#define WRIGHT_ENDS_HERE "wright: compile with -std=c++23"
#include WRIGHT_ENDS_HERE
#endif
