#include "wright/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <latch>
#include <thread>

#include "sandbox/run_group.h"
#include "sandbox/sandbox_testing.h"

namespace wright::sandbox {
namespace {

using namespace std::string_literals;
using namespace std::chrono_literals;

class SandboxRuns : public testing::Test {
 protected:
  FinishedCommand run(const std::string& line, const CommandOptions& options = {}) const {
    return run_line(sandbox_, line, grounds_.workspace(), options);
  }

  Grounds grounds_;
  Sandbox sandbox_ = Sandbox::prepare(grounds_.policy()).value();
};

TEST_F(SandboxRuns, gives_output_error_and_exit_code_apart) {
  const auto finished = run("echo out; echo err >&2; pwd; exit 3");
  EXPECT_EQ(finished.output.head, "out\n" + grounds_.workspace().string() + "\n");
  EXPECT_EQ(finished.error.head, "err\n");
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_FALSE(finished.is_timed_out);
  EXPECT_GT(finished.duration.count(), 0);
}

TEST_F(SandboxRuns, tells_the_signal_that_ended_a_program) {
  EXPECT_EQ(run("kill -TERM $$").exit_code, 128 + SIGTERM);
  EXPECT_EQ(run("kill -KILL $$").exit_code, 128 + SIGKILL);
}

TEST_F(SandboxRuns, keeps_bytes_as_they_are) {
  EXPECT_EQ(run("printf 'a\\0b\\377\\n'").output.head, "a\0b\xff\n"s);
}

TEST_F(SandboxRuns, has_nothing_on_standard_input) {
  EXPECT_EQ(run("cat; read -r x; echo $?").output.head, "1\n");
}

TEST_F(SandboxRuns, bounds_what_it_keeps_of_a_huge_output) {
  std::uint64_t streamed = 0;
  const auto finished =
      run("head -c 50000000 /dev/zero; echo end",
          {.kept_bytes = 2000, .on_output = [&](OutputStream stream, std::string_view piece) {
             EXPECT_EQ(stream, OutputStream::output);
             streamed += piece.size();
           }});
  EXPECT_EQ(finished.output.total_bytes, 50'000'004U);
  EXPECT_EQ(streamed, 50'000'004U);
  EXPECT_EQ(finished.output.head.size(), 1000U);
  EXPECT_TRUE(finished.output.tail.ends_with("end\n"));
}

TEST_F(SandboxRuns, goes_on_when_a_program_closes_its_streams) {
  Grounds::write(grounds_.workspace() / "done", "");
  const auto finished = run("exec >&- 2>&-; echo lost; echo kept > done; exit 7");
  EXPECT_EQ(finished.exit_code, 7);
  EXPECT_EQ(finished.output.head, "");
  EXPECT_EQ(Grounds::read(grounds_.workspace() / "done"), "kept\n");
}

TEST_F(SandboxRuns, ends_at_the_timeout_and_keeps_what_came_before) {
  const auto finished = run("echo before; sleep 1000; echo after", {.timeout = 1s});
  EXPECT_TRUE(finished.is_timed_out);
  EXPECT_EQ(finished.exit_code, 124);
  EXPECT_EQ(finished.output.head, "before\n");
}

TEST_F(SandboxRuns, cannot_outlast_the_timeout_by_ignoring_signals) {
  const auto finished = run("trap '' TERM INT HUP; while :; do sleep 1000; done", {.timeout = 1s});
  EXPECT_EQ(finished.exit_code, 124);
}

TEST_F(SandboxRuns, ends_when_asked_to_stop) {
  std::stop_source source;
  const auto finished =
      run("echo started; sleep 1000",
          {.stop = source.get_token(),
           .on_output = [&](OutputStream, std::string_view) { source.request_stop(); }});
  EXPECT_TRUE(finished.is_stopped);
  EXPECT_EQ(finished.exit_code, 130);
  EXPECT_EQ(finished.output.head, "started\n");
  EXPECT_TRUE(run("sleep 1000", {.stop = source.get_token()}).is_stopped);
}

TEST_F(SandboxRuns, leaves_no_process_behind) {
  // Children in the background, in another process group, and in another session where allowed.
  const char* kLines[] = {
      "sleep 1000 & echo $!", "sleep 1000 >/dev/null 2>&1 & echo $!",
      "(trap '' HUP TERM; sleep 1000) >/dev/null 2>&1 & echo $!",
      "set -m; sleep 1000 >/dev/null 2>&1 & echo $!",
      "python3 -c 'import subprocess; p=subprocess.Popen([\"sleep\",\"1000\"], process_group=0); "
      "print(p.pid)'",
      // A name with a newline, which makes the line in /proc two.
      "python3 -c '\nimport ctypes,os,time\npid=os.fork()\nif pid==0:\n  "
      "ctypes.CDLL(None).prctl(15,b\"a\\n) Z 1\",0,0,0)\n  time.sleep(1000)\nprint(pid)'",
      "python3 -c '\nimport os,sys,time\npid=os.fork()\nif pid==0:\n  try: os.setsid()\n  except "
      "OSError: pass\n  time.sleep(1000)\nprint(pid)'"};
  for (const char* line : kLines) {
    for (const bool is_stopped : {false, true}) {
      std::stop_source source;
      CommandOptions options{.stop = source.get_token()};
      if (is_stopped) {
        options.on_output = [&](OutputStream, std::string_view) { source.request_stop(); };
      }
      const std::string mark = grounds_.path().filename().string() + "-left";
      const auto finished =
          run_line(sandbox_, std::string(line) + (is_stopped ? "\nsleep 1000" : ""),
                   grounds_.workspace(), options, mark);
      EXPECT_EQ(finished.is_stopped, is_stopped) << line;
      ASSERT_GT(std::atoi(finished.output.head.c_str()), 1) << line << finished.error.head;
      EXPECT_EQ(running_with(mark), std::vector<pid_t>{}) << line;
    }
  }
}

TEST(RunGroup, ends_nobody_but_a_process_of_its_own) {
  const auto group = RunGroup::make(std::nullopt, std::nullopt);
  ASSERT_TRUE(group);
  for (const pid_t nobody : {-1, 0, 1}) EXPECT_FALSE(group->end_all(nobody));
}

TEST_F(SandboxRuns, survives_a_fork_bomb) {
  if (!sandbox_.report().enforces("process limit")) {
    GTEST_SKIP() << "no limit of processes on this machine";
  }
  auto policy = grounds_.policy();
  policy.limits.processes = 40;
  const auto small = Sandbox::prepare(policy).value();
  const auto finished = run_line(small, "bomb() { bomb | bomb & }; bomb; sleep 1000",
                                 grounds_.workspace(), {.timeout = 1s});
  EXPECT_EQ(finished.exit_code, 124);
  EXPECT_NE(finished.error.head.find("fork"), std::string::npos) << finished.error.head;
  EXPECT_EQ(run_line(small, "echo fine", grounds_.workspace()).output.head, "fine\n");
}

TEST_F(SandboxRuns, gives_a_clean_environment) {
  auto policy = grounds_.policy();
  policy.environment = clean_environment({{"PATH", ".:/usr/bin::bin:/bin:"},
                                          {"LANG", "C.UTF-8"},
                                          {"LC_ALL", "C"},
                                          {"OPENAI_API_KEY", "sk-secret"},
                                          {"LD_PRELOAD", "/x.so"},
                                          {"BASH_ENV", "/x"},
                                          {"HOME", "/root"}});
  const auto clean = Sandbox::prepare(policy).value();
  const auto finished =
      run_line(clean, "env | sed 's/=.*//' | sort | tr '\\n' ' '", grounds_.workspace());
  EXPECT_EQ(finished.output.head, "HOME LANG LC_ALL PATH PWD SHLVL TMPDIR _ ");
}

TEST(CleanEnvironment, keeps_only_absolute_folders_to_look_for_programs_in) {
  EXPECT_EQ(clean_environment({{"PATH", ".:/usr/bin::bin:/bin:"}}),
            (Variables{{"PATH", "/usr/bin:/bin"}}));
  EXPECT_EQ(clean_environment({{"PATH", "."}, {"AWS_SECRET", "x"}}), Variables{});
}

TEST(CleanEnvironment, keeps_only_locales_in_which_quotes_are_quotes) {
  EXPECT_EQ(
      clean_environment({{"LANG", "zh_CN.GBK"}, {"LC_ALL", "ja_JP.SJIS"}, {"LC_CTYPE", "zh_TW"}}),
      Variables{});
  const Variables plain{{"LANG", "de_DE.UTF-8@euro"}, {"LC_ALL", "C"}, {"LC_CTYPE", "C.utf8"}};
  EXPECT_EQ(clean_environment(plain), plain);
}

TEST_F(SandboxRuns, gives_private_folders_that_go_with_the_sandbox) {
  std::filesystem::path home;
  {
    const auto sandbox = Sandbox::prepare(grounds_.policy()).value();
    const auto finished =
        run_line(sandbox, "echo x > \"$HOME/a\" && mktemp && echo \"$HOME\"", grounds_.workspace());
    EXPECT_EQ(finished.exit_code, 0) << finished.error.head;
    const std::string text = finished.output.head;
    home = text.substr(text.find('\n') + 1, text.size() - text.find('\n') - 2);
    EXPECT_TRUE(std::filesystem::exists(home / "a")) << home;
  }
  EXPECT_FALSE(std::filesystem::exists(home));
}

TEST_F(SandboxRuns, inherits_no_descriptors) {
  const int leaked = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  ASSERT_GE(leaked, 3);
  const auto finished = run("ls /proc/self/fd | tr '\\n' ' '");
  ::close(leaked);
  EXPECT_EQ(finished.output.head, "0 1 2 3 ") << "3 is the folder that ls reads";
}

TEST_F(SandboxRuns, refuses_what_cannot_be_run_with_a_reason) {
  struct Case {
    Command command;
    const char* reason;
  };
  const Case cases[] = {
      {{{}, "/", {}}, "There is no program to run"},
      {{{"no-such-program"}, "/", {}}, "There is no program 'no-such-program' in PATH"},
      {{{"/no/such/program"}, "/", {}}, "Cannot run the program: No such file or directory"},
      {{{"/usr"}, "/", {}}, "Cannot run the program: Permission denied"},
      {{{"true"}, "/no/such/folder", {}},
       "Cannot enter the working directory: No such file or directory"},
      {{{"echo", "a\0b"s}, "/", {}},
       "A NUL byte cannot be part of a command, its folder or its environment"},
  };
  for (const Case& each : cases) {
    const auto finished = sandbox_.run(each.command);
    ASSERT_FALSE(finished) << each.reason;
    EXPECT_EQ(finished.error().message, each.reason);
  }
}

TEST_F(SandboxRuns, looks_programs_up_in_absolute_folders_only) {
  Grounds::write(grounds_.workspace() / "mine", "#!/bin/sh\necho mine\n");
  std::filesystem::permissions(grounds_.workspace() / "mine", std::filesystem::perms(0755));
  EXPECT_FALSE(sandbox_.run({{"mine"}, grounds_.workspace(), {{"PATH", ".:"}}}));
  const auto found =
      sandbox_.run({{"mine"}, "/", {{"PATH", ".:" + grounds_.workspace().string()}}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->output.head, "mine\n");
}

TEST_F(SandboxRuns, may_be_used_from_several_threads) {
  std::latch ready(4);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      ready.arrive_and_wait();
      for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(run("echo " + std::to_string(thread)).output.head, std::to_string(thread) + "\n");
      }
    });
  }
}

TEST(Sandbox, says_what_is_missing_and_refuses_where_it_is_required) {
  const Grounds grounds;
  auto policy = grounds.policy();
  const auto best = Sandbox::prepare(policy);
  ASSERT_TRUE(best) << best.error().message;
  for (const SandboxLayer& layer : best->report().layers) {
    EXPECT_FALSE(layer.detail.empty()) << layer.name;
  }
  policy.mode = SandboxMode::required;
  const auto required = Sandbox::prepare(policy);
  EXPECT_EQ(required.has_value(), best->report().is_complete());
  if (!required) {
    EXPECT_NE(required.error().message.find("lacks"), std::string::npos);
  }
}

TEST(Sandbox, can_be_switched_off_and_says_so) {
  const Grounds grounds;
  auto policy = grounds.policy();
  policy.mode = SandboxMode::off;
  const auto open = Sandbox::prepare(policy).value();
  EXPECT_FALSE(open.report().enforces("files"));
  const auto finished = run_line(open, "cat ../outside/secret.txt", grounds.workspace());
  EXPECT_EQ(finished.output.head, "do not read");
}

TEST(Sandbox, refuses_paths_that_are_not_there) {
  const Grounds grounds;
  auto policy = grounds.policy();
  if (!Sandbox::prepare(policy).value().report().enforces("files")) {
    GTEST_SKIP() << "without Landlock, no path is opened";
  }
  policy.read_paths = {"/no/such/folder"};
  const auto sandbox = Sandbox::prepare(policy);
  ASSERT_FALSE(sandbox);
  EXPECT_EQ(sandbox.error().message,
            "The sandbox cannot be opened for '/no/such/folder': No such file or directory");
  policy.temporary_root = "/no/such/folder";
  EXPECT_FALSE(Sandbox::prepare(policy));
}

TEST(Sandbox, knows_its_words) {
  EXPECT_EQ(sandbox_mode_from("required").value(), SandboxMode::required);
  EXPECT_EQ(sandbox_mode_from("best_effort").value(), SandboxMode::best_effort);
  EXPECT_EQ(sandbox_mode_from("off").value(), SandboxMode::off);
  EXPECT_FALSE(sandbox_mode_from("on"));
  EXPECT_EQ(network_access_from("local").value(), NetworkAccess::local);
  EXPECT_FALSE(network_access_from("none"));
}

// Ordinary work, which confinement must not be in the way of.
struct Work {
  const char* program;  // what has to be there
  const char* line;
  const char* output;
  const char* layer = nullptr;  // without which it does not work
};

class OrdinaryWork : public testing::TestWithParam<Work> {};

TEST_P(OrdinaryWork, works_inside) {
  const std::string program = std::string("/usr/bin/") + GetParam().program;
  if (!std::filesystem::exists(program)) GTEST_SKIP() << program << " is not installed";
  const Grounds grounds;
  auto policy = grounds.policy();
  policy.protected_paths.clear();
  const auto sandbox = Sandbox::prepare(policy).value();
  if (GetParam().layer != nullptr && !sandbox.report().enforces(GetParam().layer)) {
    GTEST_SKIP() << "not without this layer: " << GetParam().layer;
  }
  const auto finished = run_line(sandbox, GetParam().line, grounds.workspace());
  EXPECT_EQ(finished.exit_code, 0) << finished.error.head;
  EXPECT_EQ(finished.output.head, GetParam().output) << finished.error.head;
}

INSTANTIATE_TEST_SUITE_P(
    Sandbox, OrdinaryWork,
    testing::Values(
        Work{"bash", "echo b > x; echo a >> x; sort x | tee y | wc -l; diff <(sort x) y", "2\n"},
        Work{"bash",
             "mkdir -p a/b && mv a c && ln -s c d && cp -r c e && rm -r c && ls | tr '\\n' ' '",
             "d e "},
        Work{"bash", "echo x > /dev/null; head -c 3 /dev/urandom | wc -c; cat <<< hi", "3\nhi\n"},
        Work{"bash", "timeout 0.2 sleep 10; echo $?", "124\n"},
        Work{"ps", "ps -e -o comm= > names; sort -u names", "bash\nps\nwright-run\n",
             "processes outside"},
        Work{"python3",
             "python3 -c 'import multiprocessing as m\nwith m.Pool(2) as p: print(p.map(abs, [-1, "
             "2]))'",
             "[1, 2]\n", "namespaces"},
        Work{"git",
             "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a "
             "GIT_COMMITTER_EMAIL=a@b; git init -q . && echo x > f && git add f && git commit -qm "
             "first && git status --short && git log --format=%s",
             "first\n"},
        Work{"python3",
             "python3 -c 'import subprocess,tempfile,threading,json\nwith "
             "tempfile.TemporaryDirectory() as d: open(d+\"/x\",\"w\").write(\"y\")\n"
             "t=threading.Thread(target=print,args=(\"thread\",),kwargs={\"flush\":True}); "
             "t.start(); t.join()\nprint(subprocess.check_output([\"echo\",\"child\"],"
             "text=True),end=\"\")'",
             "thread\nchild\n"},
        Work{"git",
             "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a "
             "GIT_COMMITTER_EMAIL=a@b; git init -q one && cd one && echo x > f && git add f && "
             "git commit -qm first && git gc -q && cd .. && git clone -q one two && "
             "git -C two log --format=%s",
             "first\n"},
        Work{"cmake",
             "printf 'cmake_minimum_required(VERSION 3.20)\nproject(p CXX)\nadd_executable(a "
             "a.cpp)\n' > CMakeLists.txt; echo 'int main(){return 0;}' > a.cpp; cmake -S . -B b "
             ">/dev/null && cmake --build b >/dev/null && b/a && echo built",
             "built\n"},
        Work{"npm",
             "echo '{\"name\":\"p\",\"version\":\"1.0.0\",\"scripts\":{\"hi\":\"echo hi\"}}' > "
             "package.json && npm run --silent hi && npm pack --silent --offline",
             "hi\np-1.0.0.tgz\n"},
        Work{"node",
             "node -e 'const c=require(\"child_process\");c.exec(\"echo child\",(e,o)=>"
             "process.stdout.write(o))'",
             "child\n"},
        Work{"sqlite3",
             "sqlite3 a.db 'create table t(x); insert into t values(7)' && sqlite3 a.db 'pragma "
             "journal_mode=wal; insert into t values(8); select sum(x) from t'",
             "wal\n15\n"},
        Work{"tar",
             "mkdir d && echo x > d/f && tar czf d.tgz d && rm -r d && tar xzf d.tgz && cat d/f",
             "x\n"},
        Work{"make",
             "printf 'all: a\\n\\t@cat a\\na:\\n\\t@echo made > a\\n' > Makefile; make -s -j2",
             "made\n"},
        Work{"g++", "echo 'int main(){return 0;}' > a.cpp && g++ a.cpp -o a && ./a && echo built",
             "built\n"},
        Work{"ninja",
             "printf 'rule cc\\n  command = g++ -c $in -o $out\\nbuild a.o: cc a.cpp\\n' > "
             "build.ninja; echo 'int f(){return 1;}' > a.cpp; ninja --quiet && ls a.o",
             "a.o\n"}));

}  // namespace
}  // namespace wright::sandbox
