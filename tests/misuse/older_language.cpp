// expect: Wright needs C++23
// standard: c++20
// lines: 9
#include "wright/wright.h"

int main() {}
