// Fills the disk of a database: preloaded into its servers (ld.so(8), LD_PRELOAD), it
// refuses every write to a file of the data directory with ENOSPC while the file "disk-is-full" is
// next to that directory. It also refuses writes that do not extend a file, like a copy-on-write
// file system. So the WAL of PostgreSQL, whose segments are preallocated in full length, is affected
// at once.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// The embedded server's directory, and those of the servers of Citus.
static const char *const homes[] = {"/postgres", "/coordinator", "/worker-1", "/worker-2"};
static const char data[] = "/data/";
static const char full[] = "/disk-is-full";

// Whether this is a file of a data directory whose disk is full. Safe in a signal handler, because
// it allocates no memory.
static int is_full(int descriptor) {
  int before = errno;
  char link[64], path[PATH_MAX + sizeof full];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = 0;
  int answer = 0;
  for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
    char *start = strstr(path, homes[i]);
    if (!start) continue;
    start += strlen(homes[i]);
    if (strncmp(start, data, sizeof data - 1)) continue;
    memcpy(start, full, sizeof full);
    answer = access(path, F_OK) == 0;
    break;
  }
  errno = before;
  return answer;
}

static int grows(int descriptor, off_t length) {
  struct stat now;
  return fstat(descriptor, &now) == 0 && length > now.st_size;
}

static long refuse(void) {
  errno = ENOSPC;
  return -1;
}

#define REPLACE(type, name, parameters, arguments, is_refused, refusal)      \
  type name parameters {                                                     \
    static type(*real) parameters;                                           \
    if (!real) real = (type(*) parameters)dlsym(RTLD_NEXT, #name);           \
    if ((is_refused) && is_full(descriptor)) return (type)(refusal);         \
    return real arguments;                                                   \
  }

REPLACE(ssize_t, write, (int descriptor, const void *bytes, size_t count),
        (descriptor, bytes, count), 1, refuse())
REPLACE(ssize_t, pwrite, (int descriptor, const void *bytes, size_t count, off_t offset),
        (descriptor, bytes, count, offset), 1, refuse())
REPLACE(ssize_t, pwrite64, (int descriptor, const void *bytes, size_t count, off64_t offset),
        (descriptor, bytes, count, offset), 1, refuse())
REPLACE(ssize_t, writev, (int descriptor, const struct iovec *parts, int count),
        (descriptor, parts, count), 1, refuse())
REPLACE(ssize_t, pwritev, (int descriptor, const struct iovec *parts, int count, off_t offset),
        (descriptor, parts, count, offset), 1, refuse())
REPLACE(ssize_t, pwritev64, (int descriptor, const struct iovec *parts, int count, off64_t offset),
        (descriptor, parts, count, offset), 1, refuse())
REPLACE(int, posix_fallocate, (int descriptor, off_t offset, off_t length),
        (descriptor, offset, length), 1, ENOSPC)
REPLACE(int, posix_fallocate64, (int descriptor, off64_t offset, off64_t length),
        (descriptor, offset, length), 1, ENOSPC)
REPLACE(int, fallocate, (int descriptor, int mode, off_t offset, off_t length),
        (descriptor, mode, offset, length), 1, refuse())
REPLACE(int, ftruncate, (int descriptor, off_t length), (descriptor, length),
        grows(descriptor, length), refuse())
REPLACE(int, ftruncate64, (int descriptor, off64_t length), (descriptor, length),
        grows(descriptor, length), refuse())
