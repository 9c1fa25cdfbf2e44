#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <netdb.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <poll.h>
#include <pwd.h>
#include <sys/file.h>

// Macros that Swift does not import.

static inline int linux_errno(void) { return errno; }

static inline void linux_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

static inline int linux_open(const char *path, int flags, mode_t mode) {
  return open(path, flags, mode);
}

extern char **environ;
static inline char **linux_environment(void) { return environ; }

static inline void linux_ignore_signal(int number) { signal(number, SIG_IGN); }
// A GNU extension that <sys/socket.h> hides by default.
extern int accept4(int, struct sockaddr *, socklen_t *, int);

static inline int linux_accept(int socket, struct sockaddr *address, socklen_t *length, int flags) {
  return accept4(socket, address, length, flags);
}

#include "spawn.h"
