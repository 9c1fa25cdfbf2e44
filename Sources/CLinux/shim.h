#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/// Raises the number of descriptors that this process may have to the highest that it may choose;
/// returns -1 with errno on failure.
static inline int linux_raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == -1) return -1;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit);
}

/// The number of descriptors that this process may have, or -1 with errno.
static inline long linux_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == -1) return -1;
  return limit.rlim_cur > LONG_MAX ? LONG_MAX : (long)limit.rlim_cur;
}

/// The bytes in a socket's send buffer that the peer has not acknowledged, or -1 with errno. The end
/// of a TCP stream counts as one byte.
static inline int linux_unacknowledged_bytes(int descriptor) {
  int count = 0;
  return ioctl(descriptor, SIOCOUTQ, &count) == -1 ? -1 : count;
}

static inline int linux_open(const char *path, int flags, mode_t mode) {
  return open(path, flags, mode);
}

/// The permission bits of a file, or -1 with errno; follows symbolic links, as `stat` does.
static inline int linux_permissions(const char *path) {
  struct stat found;
  return stat(path, &found) == -1 ? -1 : (int)(found.st_mode & 07777);
}

/// Writes the owner of a file; returns -1 with errno on failure.
static inline int linux_owner(const char *path, uid_t *user, gid_t *group) {
  struct stat found;
  if (stat(path, &found) == -1) return -1;
  *user = found.st_uid;
  *group = found.st_gid;
  return 0;
}

extern char **environ;
static inline char **linux_environment(void) { return environ; }

static inline void linux_ignore_signal(int number) { signal(number, SIG_IGN); }
// A GNU extension that <sys/socket.h> hides by default.
extern int accept4(int, struct sockaddr *, socklen_t *, int);

static inline int linux_accept(int socket, struct sockaddr *address, socklen_t *length, int flags) {
  return accept4(socket, address, length, flags);
}

// Locks that belong to an open file description and end with it; <fcntl.h> hides them by default.
#ifndef F_OFD_GETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#endif

static inline int linux_lock_file(int descriptor) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

// Needed because closing alone would not release the lock while a child between fork and exec still
// has a copy of the descriptor.
static inline int linux_unlock_file(int descriptor) {
  struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

// Returns 1 if another process holds the lock, 0 if none does, -1 with errno; does not take the
// lock.
static inline int linux_is_file_locked(int descriptor) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(descriptor, F_OFD_GETLK, &lock) == -1) return -1;
  return lock.l_type != F_UNLCK;
}

#include "spawn.h"
