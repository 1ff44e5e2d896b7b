/* Lets one call on a file below one folder fail, as a full, broken or withdrawn disk does; or ends the process there.

   Loaded with LD_PRELOAD. `io_arm(folder, kinds, nth, effect, error, lasting)` switches it on: of the calls whose kind is in the
   mask `kinds`, the `nth` (and, if `lasting`, all after it) has the `effect`. `io_calls(kind)` counts the calls since then. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READS = 1, WRITES = 2, SYNCS = 4, OPENS = 8, MOVES = 16, LOOKS = 32 };
enum { FAIL, SHORT, TORN, KILL };

static char folder[PATH_MAX];
static atomic_int armed, kinds, effect, error, lasting;
static atomic_long left, made[64];

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static int below(const char *path) {
    return atomic_load(&armed) && path && !strncmp(path, folder, strlen(folder));
}

static int ours(int fd) {
    char link[64], path[PATH_MAX];
    if (fd < 3 || !atomic_load(&armed)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    path[size > 0 ? size : 0] = 0;
    return below(path);
}

/* Whether this call is to be hit. One that kills does not come back. */
static int hit(int kind) {
    atomic_fetch_add(&made[kind], 1);
    if (!(atomic_load(&kinds) & kind)) return 0;
    long now = atomic_fetch_sub(&left, 1);
    if (now != 1 && !(now < 1 && atomic_load(&lasting))) return 0;
    if (atomic_load(&effect) == KILL) kill(getpid(), SIGKILL);
    errno = atomic_load(&error);
    return 1;
}

#define MOVING(kind, type, name, parameters, arguments, mine) \
    type name parameters { \
        REAL(name); \
        if (!(mine) || !hit(kind)) return real arguments; \
        int e = atomic_load(&effect); \
        if (e == FAIL || n < 2) { errno = atomic_load(&error); return -1; } \
        n /= 2; \
        type done = real arguments; \
        if (e == TORN) kill(getpid(), SIGKILL); \
        return done; \
    }
MOVING(READS, ssize_t, read, (int fd, void *b, size_t n), (fd, b, n), ours(fd))
MOVING(READS, ssize_t, pread, (int fd, void *b, size_t n, off_t o), (fd, b, n, o), ours(fd))
MOVING(READS, ssize_t, pread64, (int fd, void *b, size_t n, off64_t o), (fd, b, n, o), ours(fd))
MOVING(WRITES, ssize_t, write, (int fd, const void *b, size_t n), (fd, b, n), ours(fd))
MOVING(WRITES, ssize_t, pwrite, (int fd, const void *b, size_t n, off_t o), (fd, b, n, o), ours(fd))
MOVING(WRITES, ssize_t, pwrite64, (int fd, const void *b, size_t n, off64_t o), (fd, b, n, o), ours(fd))

#define FAILING(kind, name, parameters, arguments, mine) \
    int name parameters { \
        REAL(name); \
        if ((mine) && hit(kind)) return -1; \
        return real arguments; \
    }
FAILING(SYNCS, fsync, (int fd), (fd), ours(fd))
FAILING(SYNCS, fdatasync, (int fd), (fd), ours(fd))
FAILING(MOVES, ftruncate, (int fd, off_t n), (fd, n), ours(fd))
FAILING(MOVES, ftruncate64, (int fd, off64_t n), (fd, n), ours(fd))
FAILING(MOVES, rename, (const char *a, const char *b), (a, b), below(b))
FAILING(MOVES, renameat, (int c, const char *a, int d, const char *b), (c, a, d, b), below(b))
FAILING(MOVES, unlink, (const char *p), (p), below(p))
FAILING(MOVES, unlinkat, (int d, const char *p, int f), (d, p, f), below(p))
FAILING(MOVES, mkdir, (const char *p, mode_t m), (p, m), below(p))

#define OPENING(name) \
    int name(const char *p, int flags, ...) { \
        REAL(name); \
        va_list list; va_start(list, flags); int mode = va_arg(list, int); va_end(list); \
        if (below(p) && hit((flags & O_ACCMODE) == O_RDONLY ? LOOKS : OPENS)) return -1; \
        return real(p, flags, mode); \
    }
OPENING(open)
OPENING(open64)

long io_calls(int kind) { return atomic_load(&made[kind]); }

void io_arm(const char *where, int mask, long nth, int what, int number, int on) {
    strncpy(folder, where, sizeof folder - 1);
    for (int kind = 0; kind < 64; kind++) atomic_store(&made[kind], 0);
    atomic_store(&kinds, mask), atomic_store(&left, nth), atomic_store(&effect, what);
    atomic_store(&error, number), atomic_store(&lasting, on);
    atomic_store(&armed, nth > 0);
}
