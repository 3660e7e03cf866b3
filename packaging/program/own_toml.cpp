// toml++'s functions, compiled from the headers: Debian has no static library of them.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
