/* Viewers of one share that come back after a restart, beside some that were there before them.

   usage: returning HOST PORT PATH GOOD RETURNING SECONDS tls|plain

   PATH: the good ones' path and, after a comma, that of those who return. GOOD WebSockets open at
   once. After 3 quiet seconds RETURNING more open at even random times within SECONDS. Messages
   hold the publisher's stamp: "FB1:" and 20 digits, nanoseconds of the steady clock.
   Prints one JSON object. Build: gcc -O2 -o returning returning.c -lssl -lcrypto */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define QUIET 3000000000LL
#define SETTLING 1000000000LL

typedef enum { WAITING, CONNECTING, SHAKING, ASKED, OPEN, GONE } Stage;

typedef struct {
    int socket, have;
    Stage stage;
    SSL *tls; /* NULL: plaintext */
    long long due, took;
    char *answer; /* until the first message */
    int is_good;
} Viewer;

typedef struct {
    long long *all;
    long count, room;
} Series;

static SSL_CTX *context;
static int poller;
static const char *paths[2];
static struct sockaddr_in server;
static Series before, during;
static long long flood_from, flood_to;
static long refused, settled;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void fail(const char *what) {
    fprintf(stderr, "returning: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void add(Series *series, long long value) {
    if (series->count == series->room) {
        series->room = series->room ? 2 * series->room : 1024;
        series->all = realloc(series->all, series->room * sizeof *series->all);
    }
    series->all[series->count++] = value;
}

static int by_value(const void *a, const void *b) {
    long long x = *(const long long *)a, y = *(const long long *)b;
    return x < y ? -1 : x > y;
}

/* Milliseconds; call it for the median first, which sorts. */
static double at(Series *series, double part) {
    if (!series->count) return -1;
    if (part == 0.5) qsort(series->all, series->count, sizeof *series->all, by_value);
    long index = (long)(series->count * part);
    return series->all[index < series->count ? index : series->count - 1] / 1e6;
}

static void end(Viewer *v) {
    if (v->stage != OPEN) refused++, settled++;
    v->stage = GONE;
    if (v->tls) SSL_free(v->tls);
    close(v->socket);
    free(v->answer);
    v->answer = NULL;
}

static void ask(Viewer *v) {
    char head[1024];
    int length = snprintf(
        head, sizeof head,
        "GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        paths[v->is_good ? 0 : 1]);
    v->stage = ASKED;
    v->answer = malloc(65536);
    if ((v->tls ? SSL_write(v->tls, head, length) : send(v->socket, head, length, 0)) != length)
        end(v);
}

/* Reads until the head and a message behind it have come, later whatever comes. */
static void read_all(Viewer *v) {
    static char bytes[65536];
    for (;;) {
        char *into = v->stage == ASKED ? v->answer + v->have : bytes;
        int room = v->stage == ASKED ? 65535 - v->have : (int)sizeof bytes;
        int more = v->tls ? SSL_read(v->tls, into, room) : (int)recv(v->socket, into, room, 0);
        if (more <= 0) {
            int waits = v->tls ? SSL_get_error(v->tls, more) == SSL_ERROR_WANT_READ
                               : more < 0 && errno == EAGAIN;
            if (!waits) end(v);
            return;
        }
        long long came = now();
        if (v->stage == ASKED) {
            v->have += more;
            if (v->have >= 12 && memcmp(v->answer + 9, "101", 3)) return end(v);
            char *body = memmem(v->answer, v->have, "\r\n\r\n", 4);
            if (!body || v->answer + v->have < body + 8) continue;
            /* Closed at once: the daemon asks it to come again later. */
            if ((unsigned char)body[4] == 0x88) return end(v);
            v->stage = OPEN;
            settled++;
            v->took = came - v->due;
            free(v->answer);
            v->answer = NULL;
        } else if (v->is_good) {
            for (char *p = bytes; (p = memmem(p, bytes + more - p, "FB1:", 4)); p += 4) {
                if (bytes + more - p < 24) break;
                if (came > flood_from - QUIET + SETTLING && came < flood_from)
                    add(&before, came - atoll(p + 4));
                else if (came >= flood_from && came < flood_to)
                    add(&during, came - atoll(p + 4));
            }
        }
        if (more < room && !v->tls) return;
    }
}

static void shake(Viewer *v) {
    int done = SSL_connect(v->tls);
    if (done == 1) return ask(v);
    if (SSL_get_error(v->tls, done) != SSL_ERROR_WANT_READ) end(v);
}

static void go_on(Viewer *v) {
    if (v->stage == CONNECTING) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(v->socket, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error) return end(v);
        if (v->tls) v->stage = SHAKING;
        else ask(v);
    }
    if (v->stage == SHAKING) shake(v);
    if (v->stage == ASKED || v->stage == OPEN) read_all(v);
}

static void begin(Viewer *v) {
    v->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (v->socket < 0) fail("socket");
    int one = 1;
    setsockopt(v->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    v->stage = CONNECTING;
    if (context) {
        v->tls = SSL_new(context);
        SSL_set_fd(v->tls, v->socket);
    }
    if (connect(v->socket, (struct sockaddr *)&server, sizeof server) && errno != EINPROGRESS)
        return end(v);
    struct epoll_event wanted = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = v};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, v->socket, &wanted)) fail("epoll_ctl");
}

static int by_due(const void *a, const void *b) {
    return by_value(&((const Viewer *)a)->due, &((const Viewer *)b)->due);
}

int main(int argc, char **argv) {
    if (argc != 8) {
        fprintf(stderr, "usage: returning HOST PORT PATH,PATH GOOD RETURNING SECONDS tls|plain\n");
        return 2;
    }
    server.sin_family = AF_INET;
    server.sin_port = htons(atoi(argv[2]));
    inet_pton(AF_INET, argv[1], &server.sin_addr);
    paths[0] = strtok(argv[3], ",");
    paths[1] = strtok(NULL, ",");
    int good = atoi(argv[4]), count = good + atoi(argv[5]);
    long long span = (long long)(atof(argv[6]) * 1e9), start = now();
    if (!strcmp(argv[7], "tls")) context = SSL_CTX_new(TLS_client_method());
    poller = epoll_create1(0);
    flood_from = start + SETTLING + QUIET;
    flood_to = flood_from + span + SETTLING;
    Viewer *viewers = calloc(count, sizeof *viewers);
    srand48(1);
    for (int i = 0; i < count; i++) {
        viewers[i].is_good = i < good;
        viewers[i].due = i < good ? start : flood_from + (long long)(drand48() * span);
    }
    qsort(viewers, count, sizeof *viewers, by_due);
    int begun = 0;
    /* Whoever has not come back half a minute later has not come back. */
    for (long long t = start; t < flood_to || (settled < count && t < flood_to + 10 * QUIET);
         t = now()) {
        for (int some = 0; begun < count && viewers[begun].due <= t && some < 16; some++)
            begin(&viewers[begun++]);
        struct epoll_event events[64];
        int ready = epoll_wait(poller, events, 64, begun < count && viewers[begun].due <= t ? 0 : 1);
        for (int i = 0; i < ready; i++) go_on(events[i].data.ptr);
    }
    Series returned = {0};
    long good_open = 0;
    for (int i = 0; i < count; i++) {
        if (viewers[i].stage != OPEN) continue;
        if (viewers[i].is_good) good_open++;
        else add(&returned, viewers[i].took);
    }
    double median = at(&returned, 0.5), quiet = at(&before, 0.5), busy = at(&during, 0.5);
    printf("{\"returned\":%ld,\"refused\":%ld,\"good\":%ld,\"from_ns\":%lld,\"to_ns\":%lld,"
           "\"back_p50\":%.2f,\"back_p99\":%.2f,\"back_longest\":%.2f,"
           "\"before_p50\":%.2f,\"before_p99\":%.2f,\"during_p50\":%.2f,\"during_p99\":%.2f,"
           "\"during_longest\":%.2f}\n",
           returned.count, refused, good_open, flood_from, flood_to, median,
           at(&returned, 0.99), at(&returned, 1), quiet, at(&before, 0.99), busy,
           at(&during, 0.99), at(&during, 1));
    return 0;
}
