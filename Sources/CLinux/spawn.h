// Starting a program. Swift cannot call fork(2), and posix_spawn(3) can neither change the user nor
// tie the child's life to ours. Between fork and exec the child makes system calls only, since
// other threads of the parent may have held any lock.

#include <grp.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

// GNU extensions that <unistd.h> and <spawn.h> hide by default.
extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addclosefrom_np(
  posix_spawn_file_actions_t *actions, int from);

struct linux_spawn_order {
  const char *path;
  char *const *arguments;
  char *const *environment;
  const char *directory;  // null: that of the parent
  int input;              // these become descriptors 0, 1 and 2 of the child; -1: none
  int output;
  int errors;
  int *passed;            // these become descriptors 3, 4, … of the child
  int passed_count;
  int tells_pid;          // 1: the child's number replaces the ten digits of LISTEN_PID
  int64_t user;           // -1: the parent's user and groups
  int64_t group;
  int death_signal;       // sent to the child when the thread that spawned it ends; 0: none
  int is_session;         // 1: a session of its own, 0: a process group of its own
};

static inline int linux_spawn_descriptor(int from, int to) {
  if (from < 0) return 0;
  if (from == to) return fcntl(to, F_SETFD, 0);
  return dup2(from, to);
}

// Moves the descriptors above the numbers that the child replaces, then to these numbers.
static inline int linux_spawn_pass(int *passed, int count) {
  for (int index = 0; index < count; index++) {
    if (passed[index] >= 3 + count) continue;
    passed[index] = fcntl(passed[index], F_DUPFD_CLOEXEC, 3 + count);
    if (passed[index] == -1) return -1;
  }
  for (int index = 0; index < count; index++) {
    if (dup2(passed[index], 3 + index) == -1) return -1;
  }
  return 0;
}

// Writes the number of this process into the variable LISTEN_PID (sd_listen_fds(3)), which only the
// child knows.
static inline void linux_spawn_tell_pid(char *const *environment) {
  static const char name[] = "LISTEN_PID=";
  for (; *environment; environment++) {
    if (strncmp(*environment, name, sizeof name - 1) != 0) continue;
    char *digits = *environment + sizeof name - 1;
    pid_t rest = getpid();
    int count = 0;
    for (pid_t left = rest; left > 0; left /= 10) count++;
    digits[count] = 0;
    for (; count > 0; rest /= 10) digits[--count] = (char)('0' + rest % 10);
    return;
  }
}

static inline int linux_spawn_prepare(const struct linux_spawn_order *order, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, 0) == -1) return -1;
  signal(SIGPIPE, SIG_DFL);
  if ((order->is_session ? setsid() : setpgid(0, 0)) == -1) return -1;
  if (linux_spawn_descriptor(order->input, 0) == -1) return -1;
  if (linux_spawn_descriptor(order->output, 1) == -1) return -1;
  if (linux_spawn_descriptor(order->errors, 2) == -1) return -1;
  if (linux_spawn_pass(order->passed, order->passed_count) == -1) return -1;
  if (order->tells_pid) linux_spawn_tell_pid(order->environment);
#ifdef SYS_close_range
  // Closes descriptors that were inherited without close-on-exec; flag 4 is CLOSE_RANGE_CLOEXEC
  // (Linux 5.11).
  syscall(SYS_close_range, 3U + (unsigned)order->passed_count, ~0U, 4U);
#endif
  if (order->user >= 0) {
    if (setgroups(0, 0) == -1) return -1;
    if (setgid((gid_t)order->group) == -1) return -1;
    if (setuid((uid_t)order->user) == -1) return -1;
  }
  if (order->directory && chdir(order->directory) == -1) return -1;
  if (order->death_signal) {
    // Set after the change of user, which clears it. The parent may have ended before this call.
    if (prctl(PR_SET_PDEATHSIG, order->death_signal, 0, 0, 0) == -1) return -1;
    if (getppid() != parent) _exit(127);
  }
  return 0;
}

// Returns the process identifier, or -1 with errno, also when the program could not be executed.
static inline pid_t linux_spawn(const struct linux_spawn_order *order) {
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) == -1) return -1;
  // Moves the pipe above the descriptors that the child replaces.
  int report = fcntl(failure[1], F_DUPFD_CLOEXEC, 3 + order->passed_count);
  close(failure[1]);
  pid_t parent = getpid();
  pid_t child = report == -1 ? -1 : fork();
  if (child == 0) {
    if (linux_spawn_prepare(order, parent) == 0) {
      execve(order->path, order->arguments, order->environment);
    }
    int code = errno;
    if (write(report, &code, sizeof code) == -1) _exit(126);
    _exit(127);
  }
  int code = errno;
  close(report);
  if (child > 0) {
    ssize_t count;
    do { count = read(failure[0], &code, sizeof code); } while (count == -1 && errno == EINTR);
    if (count == sizeof code) {
      waitpid(child, 0, 0);
      child = -1;
    }
  }
  close(failure[0]);
  errno = code;
  return child;
}

// A descriptor that becomes readable when the process ends (pidfd_open(2)).
static inline int linux_pidfd_open(pid_t process) {
  return (int)syscall(SYS_pidfd_open, process, 0);
}

static inline void linux_set_nonblocking(int descriptor) {
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

static inline int linux_tcp_socket(void) {
  return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static inline struct sockaddr_in linux_internet_address(in_addr_t address, in_port_t port) {
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
  name.sin_addr.s_addr = address;
  return name;
}

// Returns 0 when connected or in progress.
static inline int linux_connect_loopback(int descriptor, in_port_t port) {
  struct sockaddr_in name = linux_internet_address(htonl(INADDR_LOOPBACK), port);
  int result = connect(descriptor, (struct sockaddr *)&name, sizeof name);
  return result == -1 && errno == EINPROGRESS ? 0 : result;
}

// Tests whether the port is free to listen on: 0, or -1 with errno.
static inline int linux_try_port(in_port_t port) {
  int descriptor = linux_tcp_socket();
  if (descriptor == -1) return -1;
  int yes = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  struct sockaddr_in name = linux_internet_address(htonl(INADDR_LOOPBACK), port);
  int result = bind(descriptor, (struct sockaddr *)&name, sizeof name);
  if (result == 0) result = listen(descriptor, 1);
  int code = errno;
  // A child between fork and exec may hold a copy, which would otherwise keep listening.
  shutdown(descriptor, SHUT_RDWR);
  close(descriptor);
  errno = code;
  return result;
}

// Closes the descriptor in programs that are executed later.
static inline void linux_close_on_exec(int descriptor) { fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

// An anonymous file in memory that is freed with its last descriptor (memfd_create(2)), so that
// data passed to a child never reaches a disk. The 1 is MFD_CLOEXEC.
static inline int linux_memory_file(const char *name) {
  return (int)syscall(SYS_memfd_create, name, 1U);
}

static inline struct sockaddr_un linux_unix_name(const char *path, socklen_t *length) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  size_t size = strlen(path);
  if (size >= sizeof name.sun_path) size = 0;
  memcpy(name.sun_path, path, size);
  // A leading @ is the notation of an abstract name, whose first byte is 0 (sd_notify(3)).
  if (size && path[0] == '@') name.sun_path[0] = 0;
  *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
  return name;
}

// A socket of this kind (SOCK_STREAM, SOCK_DGRAM) bound to the path, or -1 with errno; a socket
// file of an ended process is replaced. A stream socket listens.
static inline int linux_unix_bind(const char *path, int kind) {
  socklen_t length;
  struct sockaddr_un name = linux_unix_name(path, &length);
  int descriptor = socket(AF_UNIX, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor == -1) return -1;
  unlink(path);
  int result = bind(descriptor, (struct sockaddr *)&name, length);
  if (result == 0 && kind == SOCK_STREAM) result = listen(descriptor, 8);
  if (result == 0) return descriptor;
  int code = errno;
  close(descriptor);
  errno = code;
  return -1;
}

// A blocking socket connected to the path, or -1 with errno.
static inline int linux_unix_connect(const char *path, int kind) {
  socklen_t length;
  struct sockaddr_un name = linux_unix_name(path, &length);
  int descriptor = socket(AF_UNIX, kind | SOCK_CLOEXEC, 0);
  if (descriptor == -1) return -1;
  if (connect(descriptor, (struct sockaddr *)&name, length) == 0) return descriptor;
  int code = errno;
  close(descriptor);
  errno = code;
  return -1;
}

// Accepts a connection without blocking, or returns -1 with errno.
static inline int linux_unix_accept(int descriptor) {
  return linux_accept(descriptor, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// Prepares a listening socket that the starter of this process has passed: 0, or -1 if the
// descriptor is none.
static inline int linux_take_listener(int descriptor) {
  int is_listening = 0;
  socklen_t size = sizeof is_listening;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) == -1) return -1;
  if (!is_listening) return -1;
  linux_set_nonblocking(descriptor);
  return fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

// A socket pair: the child reads its input from one end and writes its output to it.
static inline int linux_dialogue(int ends[2]) {
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}

// Closes the sending side: the peer reads end of file, and its output can still be read.
static inline int linux_end_of_input(int descriptor) { return shutdown(descriptor, SHUT_WR); }
