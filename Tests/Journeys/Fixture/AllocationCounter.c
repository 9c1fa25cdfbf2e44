// Counts the allocations of each process that it is preloaded into (ld.so(8), LD_PRELOAD): a number
// of eight bytes in the file PROGRAM.PID of the directory that ALLOCATION_COUNTS names, readable at
// any time without the process's help. The functions are glibc's own by its second names for them,
// so that nothing has to be looked up while memory is allocated.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// What is allocated before the constructor has run, or without a directory, is counted here.
static atomic_ulong unread;
static atomic_ulong *count = &unread;

__attribute__((constructor)) static void start(void) {
  const char *directory = getenv("ALLOCATION_COUNTS");
  if (!directory) return;
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s.%d", directory, program_invocation_short_name, getpid());
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return;
  if (ftruncate(file, sizeof *count) == 0) {
    void *shared = mmap(0, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED) count = shared;
  }
  close(file);
}

static void add(void) { atomic_fetch_add_explicit(count, 1, memory_order_relaxed); }

void *malloc(size_t size) {
  add();
  return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
  add();
  return __libc_calloc(items, size);
}

void *realloc(void *old, size_t size) {
  add();
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  add();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *found = memalign(alignment, size);
  if (found) *result = found;
  return found ? 0 : ENOMEM;
}
