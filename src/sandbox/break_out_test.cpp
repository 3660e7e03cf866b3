// Tries to get out of the sandbox: each line is run by a real bash, must fail, and must leave the
// world outside as it was. No attempt may do harm where it succeeds: whoever adds one, think of a
// machine on which the sandbox is broken.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <fmt/format.h>
#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "core/file_descriptor.h"
#include "sandbox/sandbox_testing.h"

namespace wright::sandbox {
namespace {

using namespace std::chrono_literals;

// A layer that this machine lacks must at least be reported as missing.
#define NEEDS(sandbox, layer)                                                                   \
  if (!(sandbox).report().enforces(layer)) {                                                    \
    const auto& layers = (sandbox).report().layers;                                             \
    const auto found = std::ranges::find(layers, std::string_view(layer), &SandboxLayer::name); \
    ASSERT_NE(found, layers.end());                                                             \
    ASSERT_EQ(found->state, SandboxLayer::State::missing);                                      \
    GTEST_SKIP() << (layer) << ": " << found->detail;                                           \
  }

struct Attempt {
  const char* name;
  const char* layer;
  const char* line;  // OUT is the folder outside
};
void PrintTo(const Attempt& attempt, std::ostream* out) {
  *out << attempt.name;
}

class BreakOut : public testing::TestWithParam<Attempt> {
 protected:
  static std::string with_paths(std::string line, const Grounds& grounds) {
    for (std::size_t at = line.find("OUT"); at != std::string::npos; at = line.find("OUT")) {
      line.replace(at, 3, grounds.outside().string());
    }
    return line;
  }
};

TEST_P(BreakOut, fails_and_changes_nothing) {
  const Grounds grounds;
  const auto sandbox = Sandbox::prepare(grounds.policy()).value();
  NEEDS(sandbox, GetParam().layer);
  const auto finished = run_line(sandbox, with_paths(GetParam().line, grounds), grounds.workspace(),
                                 {.timeout = 60s});
  EXPECT_NE(finished.exit_code, 0) << finished.output.head;
  EXPECT_NE(finished.exit_code, 124);
  EXPECT_NE(finished.exit_code, 127) << "the program for the attempt is not there";
  EXPECT_FALSE(finished.error.head.empty()) << "an attempt fails with a message";
  EXPECT_EQ(finished.output.head.find("do not read"), std::string::npos);
  // The same outside as before.
  EXPECT_EQ(Grounds::read(grounds.outside() / "secret.txt"), "do not read");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(grounds.outside()), {}), 1);
  EXPECT_FALSE(std::filesystem::exists(grounds.path() / "new"));
}

INSTANTIATE_TEST_SUITE_P(
    Files, BreakOut,
    testing::Values(
        Attempt{"read_outside", "files", "cat OUT/secret.txt"},
        Attempt{"read_by_dots", "files", "cat ../outside/secret.txt"},
        Attempt{"read_by_many_dots", "files", "cat ./.././../${PWD%/*}/outside/secret.txt"},
        Attempt{"read_by_link", "files", "ln -s OUT/secret.txt link && cat link"},
        Attempt{"read_by_link_to_folder", "files", "ln -s .. up && cat up/outside/secret.txt"},
        Attempt{"read_by_hard_link", "files", "ln OUT/secret.txt link && cat link"},
        Attempt{"read_by_root_of_proc", "files", "cat /proc/self/root/OUT/secret.txt"},
        Attempt{"read_by_working_directory_of_proc", "files",
                "cat /proc/self/cwd/../outside/secret.txt"},
        Attempt{"read_by_root_of_init", "files", "cat /proc/1/root/OUT/secret.txt"},
        Attempt{"list_outside", "files", "ls OUT"},
        Attempt{"list_home", "files", "ls /root || ls /home"},
        Attempt{"read_shadow", "files", "cat /etc/shadow"},
        Attempt{"read_by_redirection", "files", "read -r x < OUT/secret.txt"},
        Attempt{"write_outside", "files", "echo changed > OUT/secret.txt"},
        Attempt{"append_outside", "files", "echo changed >> OUT/secret.txt"},
        Attempt{"create_outside", "files", "touch OUT/new"},
        Attempt{"create_above", "files", "touch ../new"},
        Attempt{"make_folder_outside", "files", "mkdir OUT/new"},
        Attempt{"remove_outside", "files", "rm OUT/secret.txt"},
        Attempt{"move_out", "files", "echo x > a; mv a OUT/a"},
        Attempt{"move_in", "files", "mv OUT/secret.txt a"},
        Attempt{"rename_by_system_call", "files",
                "python3 -c 'import os; os.rename(\"OUT/secret.txt\", \"a\")'"},
        Attempt{"write_through_link", "files", "ln -s OUT/secret.txt l; echo x > l"},
        Attempt{"create_through_link_to_folder", "files", "ln -s OUT d; touch d/new"},
        Attempt{"copy_over", "files", "echo x > a; cp a OUT/secret.txt"},
        Attempt{"truncate_by_path", "truncation",
                "python3 -c 'import os; os.truncate(\"OUT/secret.txt\", 0)'"},
        Attempt{"truncate_by_open", "files", ": > OUT/secret.txt"},
        Attempt{"make_device", "files", "mknod disk b 254 0 && cat disk"},
        Attempt{
            "open_by_handle", "system calls",
            "python3 -c 'import ctypes,os; l=ctypes.CDLL(None,use_errno=True); "
            "r=l.open_by_handle_at(-100,ctypes.create_string_buffer(64),0); "
            "e=ctypes.get_errno(); raise OSError(e, os.strerror(e)) if e==1 else SystemExit(0)'"},
        Attempt{"write_system_file", "files", "exec 3>>/etc/passwd"},
        Attempt{"write_kernel_setting", "files", "exec 3>>/proc/sys/kernel/core_pattern"},
        Attempt{"escape_by_chroot", "system calls", "python3 -c 'import os; os.chroot(\".\")'"},
        Attempt{"write_to_the_disk", "files", "exec 3<>/dev/vda || exec 3<>/dev/sda"}));

INSTANTIATE_TEST_SUITE_P(
    Kernel, BreakOut,
    testing::Values(
        Attempt{"mount", "system calls",
                "python3 -c 'import ctypes,os; l=ctypes.CDLL(None,use_errno=True); "
                "l.mount(b\"none\",b\".\",b\"tmpfs\",0,None)==0 or (_ for _ in ()).throw("
                "OSError(ctypes.get_errno(),\"mount\"))'"},
        Attempt{"new_user_namespace", "system calls", "unshare --user --map-root-user true"},
        Attempt{"new_mount_namespace", "system calls", "unshare --mount true"},
        Attempt{"trace_itself", "system calls",
                "python3 -c 'import ctypes; l=ctypes.CDLL(None,use_errno=True); "
                "r=l.ptrace(0,0,0,0); assert r==0, ctypes.get_errno()'"},
        Attempt{"become_another_user", "no new privileges",
                "python3 -c 'import os; os.setuid(1 if os.getuid()!=1 else 2)'"},
        Attempt{"limit_its_parent", "system calls",
                "python3 -c 'import os,resource; resource.prlimit(os.getppid(), "
                "resource.RLIMIT_CPU, (10**6, 10**6))'"},
        Attempt{"slow_its_parent_down", "system calls",
                "python3 -c 'import os; os.setpriority(os.PRIO_PROCESS, os.getppid(), 1)'"},
        Attempt{"slow_its_user_down", "system calls",
                "python3 -c 'import os; os.setpriority(os.PRIO_USER, 0, 1)'"},
        Attempt{"set_user_id", "system calls", "cp /bin/true a && chmod u+s a"},
        Attempt{"set_group_id", "system calls", "cp /bin/true a && chmod 2755 a"},
        Attempt{"create_with_user_id", "system calls",
                "python3 -c 'import os; os.open(\"a\", os.O_CREAT | os.O_WRONLY, 0o4755)'"},
        Attempt{"create_unnamed_with_user_id", "system calls",
                "python3 -c 'import os; os.open(\".\", os.O_TMPFILE | os.O_RDWR, 0o4755)'"},
        Attempt{"create_unnamed_with_group_id", "system calls",
                "python3 -c 'import os; os.open(\".\", os.O_TMPFILE | os.O_RDWR, 0o2755)'"},
        Attempt{"make_node_with_user_id", "system calls",
                "python3 -c 'import os; os.mknod(\"a\", 0o104755)'"},
        Attempt{"add_a_key", "system calls",
                "python3 -c 'import ctypes,platform; l=ctypes.CDLL(None,use_errno=True); "
                "n=217 if platform.machine()==\"aarch64\" else 248; "
                "r=l.syscall(n,b\"user\",b\"x\",b\"y\",1,-3); "
                "assert r>=0, ctypes.get_errno()'"},
        Attempt{"set_up_a_ring", "system calls",
                "python3 -c 'import ctypes; l=ctypes.CDLL(None,use_errno=True); "
                "r=l.syscall(425,8,ctypes.create_string_buffer(256)); "
                "assert r>=0, ctypes.get_errno()'"},
        Attempt{"inject_terminal_input", "system calls",
                "python3 -c 'import fcntl,termios; fcntl.ioctl(0, termios.TIOCSTI, b\"x\")'"}));

INSTANTIATE_TEST_SUITE_P(
    Network, BreakOut,
    testing::Values(
        Attempt{"tcp", "network", "exec 3<>/dev/tcp/127.0.0.1/1"},
        Attempt{"tcp_socket", "network",
                "python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_STREAM)'"},
        Attempt{"tcp6_socket", "network",
                "python3 -c 'import socket; socket.socket(socket.AF_INET6)'"},
        Attempt{"udp", "network", "exec 3<>/dev/udp/127.0.0.1/9"},
        Attempt{"udp_socket", "network",
                "python3 -c 'import socket; s=socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
                "s.sendto(b\"x\", (\"127.0.0.1\", 9))'"},
        Attempt{"raw_socket", "network",
                "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'"},
        Attempt{"netlink", "network",
                "python3 -c 'import socket; socket.socket(socket.AF_NETLINK)'"},
        Attempt{"virtual_machine_socket", "network",
                "python3 -c 'import socket; socket.socket(socket.AF_VSOCK)'"},
        Attempt{"unix_socket", "network",
                "python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); "
                "s.connect(\"OUT/none\")' 2>&1 | grep -q 'not permitted' && { echo refused >&2; "
                "false; }"}),
    [](const testing::TestParamInfo<Attempt>& info) { return info.param.name; });

TEST(BreakOutOfTheSandbox, cannot_reach_a_listening_port_unless_the_network_is_on) {
  const FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener.get(), generic, size), 0);
  ASSERT_EQ(::listen(listener.get(), 4), 0);
  ASSERT_EQ(::getsockname(listener.get(), generic, &size), 0);
  const std::string line =
      fmt::format("exec 3<>/dev/tcp/127.0.0.1/{} && echo connected", ntohs(address.sin_port));
  const Grounds grounds;
  for (const NetworkAccess network :
       {NetworkAccess::on, NetworkAccess::local, NetworkAccess::off}) {
    auto policy = grounds.policy();
    policy.network = network;
    const auto sandbox = Sandbox::prepare(policy).value();
    if (network != NetworkAccess::on) NEEDS(sandbox, "network");
    const auto finished = run_line(sandbox, line, grounds.workspace());
    EXPECT_EQ(finished.output.head, network == NetworkAccess::on ? "connected\n" : "");
  }
}

TEST(BreakOutOfTheSandbox, cannot_reach_services_behind_unix_sockets) {
  const Grounds grounds;
  const std::string path = (grounds.workspace() / "service").string();
  const FileDescriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::ranges::copy(path, address.sun_path);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 4), 0);
  const std::string line =
      "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"service\"); "
      "print(\"connected\")'";
  for (const NetworkAccess network : {NetworkAccess::local, NetworkAccess::off}) {
    auto policy = grounds.policy();
    policy.network = network;
    const auto sandbox = Sandbox::prepare(policy).value();
    NEEDS(sandbox, "system calls");
    const auto finished = run_line(sandbox, line, grounds.workspace());
    EXPECT_EQ(finished.output.head, network == NetworkAccess::local ? "connected\n" : "");
  }
}

TEST(BreakOutOfTheSandbox, cannot_send_datagrams_to_unix_services) {
  const Grounds grounds;
  const std::string path = (grounds.workspace() / "service").string();
  const FileDescriptor service(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::ranges::copy(path, address.sun_path);
  ASSERT_EQ(::bind(service.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const std::string lines[] = {
      "python3 -c 'import socket; "
      "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b\"x\", \"service\")'",
      "python3 -c 'import socket; "
      "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b\"x\", \"service\")'"};
  for (const NetworkAccess network : {NetworkAccess::local, NetworkAccess::off}) {
    auto policy = grounds.policy();
    policy.network = network;
    const auto sandbox = Sandbox::prepare(policy).value();
    NEEDS(sandbox, "system calls");
    for (const std::string& line : lines) {
      const auto finished = run_line(sandbox, line, grounds.workspace());
      EXPECT_EQ(finished.exit_code == 0, network == NetworkAccess::local) << finished.error.head;
      char byte = 0;
      const bool has_arrived = ::recv(service.get(), &byte, 1, 0) == 1;
      EXPECT_EQ(has_arrived, network == NetworkAccess::local) << line;
    }
  }
}

TEST(BreakOutOfTheSandbox, cannot_read_the_environment_or_memory_of_its_parent) {
  const Grounds grounds;
  const auto sandbox = Sandbox::prepare(grounds.policy()).value();
  NEEDS(sandbox, "files");
  ASSERT_EQ(::setenv("WRIGHT_TEST_KEY", "sk-parent-secret", 1), 0);
  for (const char* file : {"environ", "mem", "maps", "fd/0", "cwd/.", "root/etc/shadow", "auxv"}) {
    const auto finished = run_line(
        sandbox, fmt::format("head -c 9999 /proc/$PPID/{0} /proc/{1}/{0}", file, ::getpid()),
        grounds.workspace());
    EXPECT_NE(finished.exit_code, 0) << file;
    EXPECT_EQ(finished.output.head.find("sk-parent-secret"), std::string::npos) << file;
  }
  // Its own it may read.
  EXPECT_EQ(
      run_line(sandbox, "head -c 1 /proc/self/environ | wc -c", grounds.workspace()).exit_code, 0);
  ::unsetenv("WRIGHT_TEST_KEY");
}

volatile std::sig_atomic_t signals_seen = 0;

TEST(BreakOutOfTheSandbox, cannot_signal_its_parent) {
  const Grounds grounds;
  const auto sandbox = Sandbox::prepare(grounds.policy()).value();
  NEEDS(sandbox, "signals");
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { signals_seen = signals_seen + 1; };
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  const auto finished = run_line(
      sandbox, fmt::format("kill -USR1 $PPID; kill -USR1 {}", ::getpid()), grounds.workspace());
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_NE(finished.exit_code, 0);
  EXPECT_FALSE(finished.error.head.empty());
  EXPECT_EQ(signals_seen, 0);
}

TEST(BreakOutOfTheSandbox, keeps_no_capability_but_those_on_files) {
  const Grounds grounds;
  const auto sandbox = Sandbox::prepare(grounds.policy()).value();
  const auto finished = run_line(
      sandbox, "grep -E '^(CapEff|CapPrm|CapAmb|NoNewPrivs)' /proc/self/status | tr -d '\\t'",
      grounds.workspace());
  const bool is_root = ::geteuid() == 0;
  const std::string number = !is_root                                  ? "0000000000000000"
                             : sandbox.report().enforces("namespaces") ? "000000000000000b"
                                                                       : "000000000000000a";
  EXPECT_EQ(finished.output.head, "CapPrm:" + number + "\nCapEff:" + number +
                                      "\nCapAmb:0000000000000000\nNoNewPrivs:1\n");
}

TEST(BreakOutOfTheSandbox, cannot_be_raced_with_links) {
  const Grounds grounds;
  const auto sandbox = Sandbox::prepare(grounds.policy()).value();
  NEEDS(sandbox, "files");
  // One process swaps a folder for a link out, another writes through it.
  const auto finished =
      run_line(sandbox,
               fmt::format("mkdir a; ln -s {} b\n"
                           "(for i in {{1..300}}; do mv -T a c; mv -T b a; mv -T a b; "
                           "mv -T c a; done) 2>/dev/null &\n"
                           "for i in {{1..600}}; do echo x > a/new; cat "
                           "a/secret.txt; done 2>/dev/null; wait; true",
                           grounds.outside().string()),
               grounds.workspace());
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(finished.output.head, "");
  EXPECT_FALSE(std::filesystem::exists(grounds.outside() / "new"));
}

TEST(BreakOutOfTheSandbox, may_read_what_it_is_given_and_not_write_it) {
  const Grounds grounds;
  auto policy = grounds.policy();
  policy.read_paths = {grounds.outside()};
  const auto sandbox = Sandbox::prepare(policy).value();
  NEEDS(sandbox, "files");
  const auto finished = run_line(
      sandbox, "cat ../outside/secret.txt; echo x > ../outside/secret.txt", grounds.workspace());
  EXPECT_EQ(finished.output.head, "do not read");
  EXPECT_NE(finished.exit_code, 0);
  EXPECT_EQ(Grounds::read(grounds.outside() / "secret.txt"), "do not read");
}

TEST(BreakOutOfTheSandbox, cannot_exceed_its_limits) {
  const Grounds grounds;
  auto policy = grounds.policy();
  policy.limits.file_bytes = 1000;
  policy.limits.open_files = 20;
  policy.limits.cpu_seconds = 1;
  const auto sandbox = Sandbox::prepare(policy).value();
  (void)run_line(sandbox, "head -c 100000 /dev/zero > big", grounds.workspace());
  EXPECT_LE(std::filesystem::file_size(grounds.workspace() / "big"), 1000U);
  const auto opened =
      run_line(sandbox, "python3 -c 'print(len([open(\"/dev/null\") for i in range(50)]))'",
               grounds.workspace());
  EXPECT_NE(opened.exit_code, 0);
  EXPECT_EQ(run_line(sandbox, "while :; do :; done", grounds.workspace()).exit_code, 128 + SIGKILL);
}

}  // namespace
}  // namespace wright::sandbox
