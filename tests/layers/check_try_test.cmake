# Proves that check_try.cmake finds what does not stand alone, and nothing else.
#
#   cmake -D SCRATCH=… -P check_try_test.cmake
if(NOT SCRATCH)
  message(FATAL_ERROR "SCRATCH is where this test writes: give it")
endif()
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/expect_check.cmake")

# The body of a function, as the only code of a tree.
function(expect_pass body)
  file(REMOVE_RECURSE "${SCRATCH}")
  expect_check_to_pass(check_try src/core/use.cpp "Result<int> use() {\n  ${body}\n  return 0;\n}\n")
endfunction()

function(expect_refusal body)
  file(REMOVE_RECURSE "${SCRATCH}")
  expect_check_to_refuse(check_try src/core/use.cpp "Result<int> use() {\n  ${body}\n  return 0;\n}\n"
                         "is not a whole statement")
endfunction()

expect_pass("TRY(f());")
expect_pass("TRY(f(g(1), h[2]));\n  TRY(g());")
expect_pass("if (x) TRY(f());\n  else TRY(g());")
expect_pass("if (x) {\n TRY(f());\n}\n  TRY(g());")
expect_pass("const auto x = TRY(f());")
expect_pass("const std::vector<int> long_name =\n      TRY(f(\"a ; TRY(b)\", ')'));")
expect_pass("object.list[1] = TRY(f());")
expect_pass("if (auto x = TRY(f()); x > 1) return 2;")
expect_pass("while (auto x = TRY(f())) ++n;")
expect_pass("for (const auto& x : TRY(f())) TRY(g(x));")
expect_pass("return TRY(f());")
expect_pass("switch (x) {\n case Kind::one: TRY(f()); break;\n default: TRY(g());\n}")
expect_pass("TRY(each([&](int x) -> Result<void> {\n TRY(g(x));\n return {};\n}));")
expect_pass("// like f(TRY(g()))")
expect_pass("f(R\"(g(TRY(h())))\");")
expect_pass("RETRY(f(), TRY_AGAIN(g()));")

expect_refusal("f(TRY(g()));")
expect_refusal("f(std::string(1, 2),\n    TRY(g()));")
expect_refusal("TRY(f(TRY(g())));")
expect_refusal("const auto x = 1 + TRY(f());")
expect_refusal("const auto x = TRY(f()) + 1;")
expect_refusal("const auto x = TRY(f()).name;")
expect_refusal("if (x == TRY(f())) return 1;")
expect_refusal("if (TRY(f())) return 1;")
expect_refusal("const Pair pair{1, TRY(f())};")
expect_refusal("const Pair pair{TRY(f()), 1};")
expect_refusal("const Pair pair{.first = TRY(f()), .second = 1};")
expect_refusal("const Pair pair{.first = 1, .second = TRY(f())};")
expect_refusal("const auto x = y ? z : TRY(f());")
expect_refusal("return *TRY(f());")

file(REMOVE_RECURSE "${SCRATCH}")
