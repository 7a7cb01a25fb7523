/* Viewers that cost their machine little, so that the server decides how many deliveries a second
   there are: most of them are read ten times a second, all that came at once.

   usage: crowd HOST PORT OPERATIONS-PORT NAMES SHARES VIEWERS WITNESSES SECONDS PID

   NAMES has a line `SHARE TOKEN SESSION` for each share. Each share has one publisher and the same
   number of viewers; the WITNESSES that came last to it are read at once. A publisher sends its
   next marker when these have the last one. Afterwards every viewer must have had every marker of
   its share once and in order. Prints one JSON object. Build: gcc -O2 -o crowd crowd.c */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { STAMP = 24, BYTES = 65536 }; /* "FB1:" and 20 digits */

typedef struct {
    int socket, share, is_witness, is_publisher;
    long last, lost, repeated;
    char rest[STAMP]; /* the end of what was read, where a stamp may begin */
    int rests;
} Link;

typedef struct {
    Link publisher;
    long sent, done; /* markers; those that all witnesses have */
    int waiting;     /* witnesses that lack the last marker */
} Share;

static const char *host;
static int port, poller;
static Share *shares;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void fail(const char *what) {
    fprintf(stderr, "crowd: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int dial(int to) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(to)};
    inet_pton(AF_INET, host, &address.sin_addr);
    int one = 1, link = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(link, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(link, (struct sockaddr *)&address, sizeof address)) fail("connect");
    return link;
}

/* Nanoseconds of processor of the threads whose name begins with `name`. */
static long long spent(const char *pid, const char *name) {
    char path[512], own[64];
    snprintf(path, sizeof path, "/proc/%s/task", pid);
    DIR *tasks = opendir(path);
    if (!tasks) fail(path);
    long long sum = 0;
    for (struct dirent *task; (task = readdir(tasks));) {
        if (task->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%s/task/%s/comm", pid, task->d_name);
        FILE *file = fopen(path, "r");
        if (!file) continue;
        int isNamed = fgets(own, sizeof own, file) && !strncmp(own, name, strlen(name));
        fclose(file);
        if (!isNamed) continue;
        snprintf(path, sizeof path, "/proc/%s/task/%s/schedstat", pid, task->d_name);
        file = fopen(path, "r");
        long long one = 0;
        if (file && fscanf(file, "%lld", &one) == 1) sum += one;
        if (file) fclose(file);
    }
    closedir(tasks);
    return sum;
}

/* A value of the server's metrics; 0 where it has none of that name. */
static double metric(int operations, const char *name) {
    static char page[1 << 20];
    const char *question = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    int link = dial(operations), have = 0, more;
    if (send(link, question, strlen(question), 0) < 0) fail("metrics");
    while (have < (int)sizeof page - 1 &&
           (more = recv(link, page + have, sizeof page - 1 - have, 0)) > 0)
        have += more;
    close(link);
    page[have] = 0;
    char line[128];
    snprintf(line, sizeof line, "\n%s ", name);
    char *found = strstr(page, line);
    return found ? atof(found + strlen(line)) : 0;
}

static int arrive(const char *path) {
    int link = dial(port), have = 0;
    char head[1024], answer[BYTES];
    int length = snprintf(
        head, sizeof head,
        "GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        path);
    if (send(link, head, length, 0) != length) fail("send");
    while (have < 12 || !memmem(answer, have, "\r\n\r\n", 4)) {
        int more = recv(link, answer + have, sizeof answer - have, 0);
        if (more <= 0) fail("no answer");
        have += more;
    }
    if (memcmp(answer + 9, "101", 3)) {
        fprintf(stderr, "crowd: %.*s\n", 60, answer);
        exit(1);
    }
    fcntl(link, F_SETFL, O_NONBLOCK);
    return link;
}

/* A text message of a client; the mask is zero, which leaves the bytes as they are. */
static void say(int link, const char *text) {
    int length = strlen(text), head = length < 126 ? 2 : 4;
    char message[1024] = {(char)0x81};
    if (length < 126) message[1] = (char)(0x80 | length);
    else message[1] = (char)(0x80 | 126), message[2] = length >> 8, message[3] = length;
    memcpy(message + head + 4, text, length);
    if (send(link, message, head + 4 + length, 0) != head + 4 + length) fail("send of a frame");
}

static void publish(Share *share, int witnesses) {
    char text[256];
    share->sent++;
    share->waiting = witnesses;
    snprintf(
        text, sizeof text,
        "{\"type\":\"marker\",\"text\":\"FB1:%020ld %.90s\",\"timestamp\":1763700000.5}",
        share->sent,
        "..........................................................................................");
    say(share->publisher.socket, text);
}

/* Takes all that has come to a viewer; tells how often the last marker of its share came. */
static int hear(Link *viewer) {
    static char bytes[STAMP + BYTES];
    Share *share = &shares[viewer->share];
    int news = 0, more;
    do {
        memcpy(bytes, viewer->rest, viewer->rests);
        more = recv(viewer->socket, bytes + viewer->rests, BYTES, 0);
        if (more == 0) fail("a connection was closed");
        if (more < 0) break;
        char *end = bytes + viewer->rests + more, *at = bytes;
        while ((at = memmem(at, end - at, "FB1:", 4)) && end - at >= STAMP) {
            long number = atol(at + 4);
            if (number <= viewer->last) viewer->repeated++;
            else viewer->lost += number - viewer->last - 1, viewer->last = number;
            news += number == share->sent;
            at += STAMP;
        }
        char *kept = at ? at : end - bytes < 3 ? bytes : end - 3;
        viewer->rests = end - kept;
        memmove(viewer->rest, kept, viewer->rests);
    } while (more == BYTES);
    return news;
}

static void discard(Link *publisher) {
    static char bytes[BYTES];
    if (recv(publisher->socket, bytes, sizeof bytes, 0) == 0) fail("a device was closed");
}

static void attend(Link *link) {
    struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = link};
    epoll_ctl(poller, EPOLL_CTL_ADD, link->socket, &wanted);
}

int main(int argc, char **argv) {
    if (argc != 10) {
        fprintf(
            stderr, "usage: crowd HOST PORT OPERATIONS-PORT NAMES SHARES VIEWERS WITNESSES SECONDS"
                    " PID\n");
        return 2;
    }
    host = argv[1];
    port = atoi(argv[2]);
    int operations = atoi(argv[3]), count = atoi(argv[5]), audience = atoi(argv[6]) / count;
    int witnesses = atoi(argv[7]) < audience ? atoi(argv[7]) : audience;
    double seconds = atof(argv[8]);
    const char *pid = argv[9];
    FILE *names = fopen(argv[4], "r");
    if (!names) fail(argv[4]);
    shares = calloc(count, sizeof *shares);
    Link *viewers = calloc((size_t)count * audience, sizeof *viewers);
    poller = epoll_create1(0);
    for (int i = 0; i < count; i++) {
        char id[64], token[128], session[64], path[128], text[512];
        if (fscanf(names, "%63s %127s %63s", id, token, session) != 3) fail("NAMES is too short");
        Share *share = &shares[i];
        share->publisher = (Link){.socket = arrive("/v1/device"), .share = i, .is_publisher = 1};
        snprintf(
            text, sizeof text,
            "{\"type\":\"hello\",\"token\":\"%s\",\"session\":\"%s\",\"recorded\":true,"
            "\"sentAt\":1763700000}", token, session);
        say(share->publisher.socket, text);
        snprintf(path, sizeof path, "/v1/shares/%s/live", id);
        for (int k = 0; k < audience; k++) {
            Link *viewer = &viewers[(size_t)i * audience + k];
            *viewer = (Link){
                .socket = arrive(path), .share = i, .is_witness = k >= audience - witnesses};
            if (viewer->is_witness) attend(viewer);
        }
    }
    usleep(1500000);
    for (int i = 0; i < count; i++) {
        discard(&shares[i].publisher);
        attend(&shares[i].publisher);
        publish(&shares[i], witnesses);
    }

    /* The first second is not counted. */
    long long begin = now() + 1000000000LL, end = begin + (long long)(seconds * 1e9), sweep = 0;
    long long loops = 0, pipeline = 0, all = 0, own = 0;
    long done = 0, markers = 0;
    double held = 0;
    struct timespec clock;
    int isCounted = 0;
    for (;;) {
        long long t = now();
        if (t >= end) break;
        if (!isCounted && t >= begin) {
            isCounted = 1;
            held = metric(operations, "pulsecast_pipeline_seconds_total");
            loops = spent(pid, "NIO"), pipeline = spent(pid, "pipeline"), all = spent(pid, "");
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &clock);
            own = clock.tv_sec * 1000000000LL + clock.tv_nsec;
            begin = now();
            for (int i = 0; i < count; i++) done += shares[i].done;
        }
        if (t >= sweep) {
            for (long i = 0; i < (long)count * audience; i++)
                if (!viewers[i].is_witness) hear(&viewers[i]);
            sweep = now() + 100000000LL;
        }
        struct epoll_event events[64];
        int ready = epoll_wait(poller, events, 64, 20);
        for (int i = 0; i < ready; i++) {
            Link *link = events[i].data.ptr;
            if (link->is_publisher) {
                discard(link);
                continue;
            }
            Share *share = &shares[link->share];
            share->waiting -= hear(link);
            if (share->waiting > 0) continue;
            share->done = share->sent;
            publish(share, witnesses);
        }
    }
    double took = (now() - begin) / 1e9;
    for (int i = 0; i < count; i++) markers += shares[i].done;
    markers -= done;
    held = metric(operations, "pulsecast_pipeline_seconds_total") - held;
    loops = spent(pid, "NIO") - loops, pipeline = spent(pid, "pipeline") - pipeline;
    all = spent(pid, "") - all;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &clock);
    own = clock.tv_sec * 1000000000LL + clock.tv_nsec - own;

    long lost = 0, repeated = 0;
    for (int tries = 0; tries < 50; tries++) {
        usleep(100000);
        lost = repeated = 0;
        for (long i = 0; i < (long)count * audience; i++) {
            hear(&viewers[i]);
            lost += viewers[i].lost + shares[viewers[i].share].sent - viewers[i].last;
            repeated += viewers[i].repeated;
        }
        if (!lost) break;
    }
    double deliveries = (double)markers * audience;
    printf(
        "{\"frames_per_s\":%.0f,\"per_s\":%.0f,\"lost\":%ld,\"repeated\":%ld,"
        "\"srv_us_per\":%.2f,\"loops_us_per\":%.2f,\"pipeline_us_a_frame\":%.2f,"
        "\"turn_us_a_frame\":%.2f,\"srv_cores\":%.2f,\"gen_cores\":%.2f}\n",
        markers / took, deliveries / took, lost, repeated, all / 1e3 / deliveries,
        loops / 1e3 / deliveries, pipeline / 1e3 / markers, held * 1e6 / markers, all / 1e9 / took,
        own / 1e9 / took);
    return 0;
}
