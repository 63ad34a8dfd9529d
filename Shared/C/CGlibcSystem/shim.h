#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <netdb.h>
#include <fcntl.h>
#include <unistd.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <time.h>
#include <string.h>

// accept4 stands behind _GNU_SOURCE, which a module map does not set.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
static inline int ezwallet_accept4(int descriptor, struct sockaddr *address, socklen_t *length) {
    return accept4(descriptor, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// So does this, for a program that is to inherit nothing.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);

// And this: where bytes stand in others, in time linear in both.
extern void *memmem(const void *, size_t, const void *, size_t);
