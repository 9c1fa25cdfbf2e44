#include <libpq-fe.h>
#include <sys/ioctl.h>

// How many bytes wait in the receive buffer of a socket, -1 for other descriptors.
static inline int postgres_unread_bytes(int socket) {
  int count = 0;
  return ioctl(socket, FIONREAD, &count) == 0 ? count : -1;
}
