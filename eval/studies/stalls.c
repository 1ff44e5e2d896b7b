/* Stalls a process's reads, writes, locks and look-ups of files below one folder, as a disk or network share does.

   Loaded with LD_PRELOAD. `stalls_begin(folder, share, longest_ms, seed)` switches it on: that share of the calls then sleeps
   for up to `longest_ms` first. `stalls_made(kind)` counts. A thread of its own, which never holds Python's lock, keeps
   book of how long threads of this process wait for a processor: `waited_since(seconds)` is that of all together in the
   last so many seconds, in ms. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { READS, WRITES, SYNCS, LOCKS, LOOKS, KINDS };

static atomic_int share_ppm, longest_us;
static atomic_ulong state = 88172645463325252UL;
static atomic_long made[KINDS];
static char folder[PATH_MAX];
static unsigned char watched[65536]; /* by descriptor: 0 unknown, 1 not below the folder, 2 below it */

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static unsigned long dice(void) {
    unsigned long x = atomic_fetch_add(&state, 0x9E3779B97F4A7C15UL);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9UL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBUL;
    return x ^ (x >> 31);
}

static void stall(int kind) {
    int share = atomic_load(&share_ppm);
    if (!share || (int)(dice() % 1000000) >= share) return;
    long us = dice() % atomic_load(&longest_us), kept = errno;
    struct timespec t = {us / 1000000, us % 1000000 * 1000};
    atomic_fetch_add(&made[kind], 1);
    nanosleep(&t, NULL);
    errno = kept;
}

static int below(const char *path) { return folder[0] && path && !strncmp(path, folder, strlen(folder)); }

static int ours(int fd) {
    if (fd < 3 || fd >= (int)sizeof watched || !atomic_load(&share_ppm)) return 0;
    if (!watched[fd]) {
        char link[64], path[PATH_MAX];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t size = readlink(link, path, sizeof path - 1);
        path[size > 0 ? size : 0] = 0;
        watched[fd] = below(path) ? 2 : 1;
    }
    return watched[fd] == 2;
}

int close(int fd) {
    REAL(close);
    if (fd >= 0 && fd < (int)sizeof watched) watched[fd] = 0;
    return real(fd);
}
ssize_t read(int fd, void *b, size_t n) { REAL(read); if (ours(fd)) stall(READS); return real(fd, b, n); }
ssize_t pread(int fd, void *b, size_t n, off_t o) { REAL(pread); if (ours(fd)) stall(READS); return real(fd, b, n, o); }
ssize_t pread64(int fd, void *b, size_t n, off64_t o) { REAL(pread64); if (ours(fd)) stall(READS); return real(fd, b, n, o); }
ssize_t write(int fd, const void *b, size_t n) { REAL(write); if (ours(fd)) stall(WRITES); return real(fd, b, n); }
ssize_t pwrite(int fd, const void *b, size_t n, off_t o) { REAL(pwrite); if (ours(fd)) stall(WRITES); return real(fd, b, n, o); }
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t o) { REAL(pwrite64); if (ours(fd)) stall(WRITES); return real(fd, b, n, o); }
int ftruncate64(int fd, off64_t n) { REAL(ftruncate64); if (ours(fd)) stall(WRITES); return real(fd, n); }
int fsync(int fd) { REAL(fsync); if (ours(fd)) stall(SYNCS); return real(fd); }
int fdatasync(int fd) { REAL(fdatasync); if (ours(fd)) stall(SYNCS); return real(fd); }
int flock(int fd, int o) { REAL(flock); if (ours(fd)) stall(LOCKS); return real(fd, o); }

static int locked(int fd, int command, void *argument, int (*real)(int, int, ...)) {
    if ((command == F_SETLK || command == F_SETLKW || command == F_GETLK) && ours(fd)) stall(LOCKS);
    return real(fd, command, argument);
}
int fcntl(int fd, int command, ...) {
    REAL(fcntl);
    va_list list; va_start(list, command); void *argument = va_arg(list, void *); va_end(list);
    return locked(fd, command, argument, real);
}
int fcntl64(int fd, int command, ...) {
    REAL(fcntl64);
    va_list list; va_start(list, command); void *argument = va_arg(list, void *); va_end(list);
    return locked(fd, command, argument, real);
}

static void look(const char *path) { if (atomic_load(&share_ppm) && below(path)) stall(LOOKS); }
int stat(const char *p, struct stat *s) { REAL(stat); look(p); return real(p, s); }
int stat64(const char *p, struct stat64 *s) { REAL(stat64); look(p); return real(p, s); }
int lstat(const char *p, struct stat *s) { REAL(lstat); look(p); return real(p, s); }
int lstat64(const char *p, struct stat64 *s) { REAL(lstat64); look(p); return real(p, s); }
int fstatat(int d, const char *p, struct stat *s, int f) { REAL(fstatat); look(p); return real(d, p, s, f); }
int access(const char *p, int m) { REAL(access); look(p); return real(p, m); }
int open(const char *p, int flags, ...) {
    REAL(open);
    va_list list; va_start(list, flags); int mode = va_arg(list, int); va_end(list);
    look(p);
    int fd = real(p, flags, mode);
    if (fd >= 0 && fd < (int)sizeof watched) watched[fd] = 0;
    return fd;
}
int open64(const char *p, int flags, ...) {
    REAL(open64);
    va_list list; va_start(list, flags); int mode = va_arg(list, int); va_end(list);
    look(p);
    int fd = real(p, flags, mode);
    if (fd >= 0 && fd < (int)sizeof watched) watched[fd] = 0;
    return fd;
}

/* How long threads of this process were ready to run and had no processor: not our doing. */

#define NOTES 8192
static struct { double at, ms; } notes[NOTES];
static atomic_long noted;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static double waited(void) {
    double sum = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        char path[PATH_MAX];
        unsigned long long ran, ready;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        FILE *file = fopen(path, "r");
        if (!file) continue;
        if (fscanf(file, "%llu %llu", &ran, &ready) == 2) sum += ready / 1e6;
        fclose(file);
    }
    if (tasks) closedir(tasks);
    return sum;
}

static void *watch(void *unused) {
    for (;;) {
        struct timespec t = {0, 5000000};
        long n = atomic_load(&noted);
        notes[n % NOTES].at = now();
        notes[n % NOTES].ms = waited();
        atomic_store(&noted, n + 1);
        nanosleep(&t, NULL);
    }
    return unused;
}

double waited_since(double seconds) {
    double from = now() - seconds, sum = waited();
    long n = atomic_load(&noted), i = n - 1;
    while (i > 0 && i > n - NOTES + 1 && notes[i % NOTES].at > from) i--;
    double ms = sum - notes[i % NOTES].ms;
    return n && ms > 0 ? ms : 0;
}

long stalls_made(int kind) { return atomic_load(&made[kind]); }

void stalls_begin(const char *where, double share, double longest_ms, unsigned long seed) {
    static pthread_t watcher;
    if (!watcher) pthread_create(&watcher, NULL, watch, NULL);
    strncpy(folder, where, sizeof folder - 1);
    memset(watched, 0, sizeof watched);
    atomic_store(&state, seed);
    atomic_store(&longest_us, (int)(longest_ms * 1000) + 1);
    atomic_store(&share_ppm, (int)(share * 1e6));
}
