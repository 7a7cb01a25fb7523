/* Viewers of one share, over plaintext or TLS: what a server spends on their coming and on each
   delivery.

   usage: viewers HOST PORT PATH COUNT SECONDS PID tls|plain

   Opens COUNT WebSockets one after the other, each with TCP_NODELAY, then reads for SECONDS.
   Messages hold the publisher's stamp: "FB1:" and 20 digits, nanoseconds of the steady clock.
   Prints one JSON object. Build: gcc -O2 -o viewers viewers.c -lssl -lcrypto */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    int socket;
    SSL *tls; /* NULL: plaintext */
} Viewer;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void fail(const char *what) {
    fprintf(stderr, "viewers: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Nanoseconds of processor that all threads of a process have had. */
static long long spent(const char *pid) {
    char path[512];
    snprintf(path, sizeof path, "/proc/%s/task", pid);
    DIR *tasks = opendir(path);
    if (!tasks) fail(path);
    long long sum = 0;
    for (struct dirent *task; (task = readdir(tasks));) {
        if (task->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%s/task/%s/schedstat", pid, task->d_name);
        FILE *file = fopen(path, "r");
        long long one = 0;
        if (file && fscanf(file, "%lld", &one) == 1) sum += one;
        if (file) fclose(file);
    }
    closedir(tasks);
    return sum;
}

/* Private pages, KiB. */
static long private_kib(const char *pid) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%s/smaps_rollup", pid);
    FILE *file = fopen(path, "r");
    long kib = 0, one;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Private_Dirty: %ld", &one) == 1) kib += one;
    if (file) fclose(file);
    return kib;
}

static int get(Viewer *v, char *bytes, int most) {
    return v->tls ? SSL_read(v->tls, bytes, most) : (int)recv(v->socket, bytes, most, 0);
}

static Viewer arrive(const char *host, int port, const char *path, SSL_CTX *context) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, host, &address.sin_addr);
    Viewer v = {socket(AF_INET, SOCK_STREAM, 0), NULL};
    int one = 1;
    setsockopt(v.socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(v.socket, (struct sockaddr *)&address, sizeof address)) fail("connect");
    if (context) {
        v.tls = SSL_new(context);
        SSL_set_fd(v.tls, v.socket);
        if (SSL_connect(v.tls) != 1) fail("TLS handshake");
    }
    char head[1024], answer[65536];
    int length = snprintf(
        head, sizeof head,
        "GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        path);
    if (v.tls) SSL_write(v.tls, head, length);
    else if (send(v.socket, head, length, 0) != length) fail("send");
    int have = 0;
    while (have < 12 || !memmem(answer, have, "\r\n\r\n", 4)) {
        int more = get(&v, answer + have, sizeof answer - have);
        if (more <= 0) fail("no answer");
        have += more;
    }
    if (memcmp(answer + 9, "101", 3)) {
        fprintf(stderr, "viewers: %.*s\n", 60, answer);
        exit(1);
    }
    return v;
}

static int by_value(const void *a, const void *b) {
    long long x = *(const long long *)a, y = *(const long long *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
    if (argc != 8) {
        fprintf(stderr, "usage: viewers HOST PORT PATH COUNT SECONDS PID tls|plain\n");
        return 2;
    }
    const char *host = argv[1], *path = argv[3], *pid = argv[6];
    int port = atoi(argv[2]), count = atoi(argv[4]);
    double seconds = atof(argv[5]);
    SSL_CTX *context = strcmp(argv[7], "tls") ? NULL : SSL_CTX_new(TLS_client_method());
    Viewer *viewers = calloc(count, sizeof *viewers);
    int poller = epoll_create1(0);
    for (int i = 0; i < 20 && i < count; i++) { /* what only the first ones cost */
        Viewer v = arrive(host, port, path, context);
        if (v.tls) SSL_free(v.tls);
        close(v.socket);
    }
    usleep(300000);
    long before = private_kib(pid);
    long long start = spent(pid), clock = now();
    for (int i = 0; i < count; i++) {
        viewers[i] = arrive(host, port, path, context);
        fcntl(viewers[i].socket, F_SETFL, O_NONBLOCK);
        struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = &viewers[i]};
        epoll_ctl(poller, EPOLL_CTL_ADD, viewers[i].socket, &wanted);
    }
    double wall = (now() - clock) / 1e3 / count, arriving = (spent(pid) - start) / 1e3 / count;
    usleep(500000);
    double kib = (double)(private_kib(pid) - before) / count;

    long deliveries = 0, kept = 0, room = 1 << 22;
    long long *delays = malloc(room * sizeof *delays);
    char bytes[65536];
    long long end = 0;
    int warm = 0; /* the first second is not counted */
    clock = now();
    for (;;) {
        long long t = now();
        if (!warm && t - clock > 1000000000LL) {
            warm = 1;
            deliveries = kept = 0;
            start = spent(pid);
            end = t + (long long)(seconds * 1e9);
        }
        if (warm && t >= end) break;
        struct epoll_event events[256];
        int ready = epoll_wait(poller, events, 256, 20);
        for (int i = 0; i < ready; i++) {
            Viewer *v = events[i].data.ptr;
            int have;
            while ((have = get(v, bytes, sizeof bytes)) > 0) {
                long long came = now();
                for (char *at = bytes; (at = memmem(at, bytes + have - at, "FB1:", 4)); at += 4) {
                    deliveries++;
                    if (kept < room && bytes + have - at >= 24)
                        delays[kept++] = came - atoll(at + 4);
                }
                if (have < (int)sizeof bytes) break;
            }
            if (have == 0) fail("a viewer was closed");
        }
    }
    double each = deliveries ? (spent(pid) - start) / 1e3 / deliveries : 0;
    qsort(delays, kept, sizeof *delays, by_value);
    printf("{\"arriving_us\":%.1f,\"arriving_wall_us\":%.1f,\"kib\":%.2f,\"deliveries\":%ld,"
           "\"delivery_us\":%.2f,\"p50_us\":%lld,\"p99_us\":%lld}\n",
           arriving, wall, kib, deliveries, each, kept ? delays[kept / 2] / 1000 : 0,
           kept ? delays[kept * 99 / 100] / 1000 : 0);
    return 0;
}
