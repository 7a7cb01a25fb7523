/* Connections that come and go, in waves: each wave comes, hears something, and leaves at once.

   usage: churn HOST PORT COUNT TOGETHER SEED plain|tls|tls12|http PATH…

   `plain` and `tls` open WebSockets at the first PATH. Of ten, one leaves in the middle of its
   handshake, three leave by reset, three by the end of their stream, and three with WebSocket's own
   farewell. Every second connection over TLS resumes an earlier one's session. `tls12` is TLS 1.2
   without tickets, so that it is the server that remembers sessions. `http` asks for all PATHs over
   one connection and reads to its end. Prints the connections that had no answer.
   Build: gcc -O2 -o churn churn.c -lssl -lcrypto */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MID_HANDSHAKE, RESET, END = 4, FAREWELL = 7, WAYS = 10 };

typedef struct {
    int socket; /* -1: gone */
    SSL *tls;   /* NULL: plaintext */
    int way;
} Visitor;

static SSL_CTX *context;
static SSL_SESSION *remembered;
static long unanswered;

static void fail(const char *what) {
    fprintf(stderr, "churn: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int put(Visitor *v, const char *bytes, int count) {
    return v->tls ? SSL_write(v->tls, bytes, count) : (int)send(v->socket, bytes, count, 0);
}

static int get(Visitor *v, char *bytes, int most) {
    return v->tls ? SSL_read(v->tls, bytes, most) : (int)recv(v->socket, bytes, most, 0);
}

static void gone(Visitor *v, int by_reset) {
    struct linger now = {1, 0};
    if (by_reset) setsockopt(v->socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    if (v->tls) SSL_free(v->tls);
    close(v->socket);
    v->socket = -1;
}

static int remember(SSL *tls, SSL_SESSION *session) {
    (void)tls;
    if (remembered) SSL_SESSION_free(remembered);
    remembered = session;
    return 1;
}

/* Whether the connection is there, with TLS if it is wanted. */
static int arrive(Visitor *v, const struct sockaddr_in *address, int number) {
    struct timeval patience = {10, 0};
    int one = 1;
    v->tls = NULL;
    v->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (v->socket < 0) fail("socket");
    setsockopt(v->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(v->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(v->socket, (const struct sockaddr *)address, sizeof *address)) fail("connect");
    if (!context) return 1;
    v->tls = SSL_new(context);
    SSL_set_fd(v->tls, v->socket);
    if (remembered && number % 2) SSL_set_session(v->tls, remembered);
    if (v->way == MID_HANDSHAKE) { /* sends its hello and does not wait */
        fcntl(v->socket, F_SETFL, O_NONBLOCK);
        SSL_connect(v->tls);
        return 0;
    }
    return SSL_connect(v->tls) == 1;
}

/* Whether the server has answered a WebSocket's request, and has sent the first message. */
static int upgrade(Visitor *v, const char *path) {
    char head[1024], answer[65536];
    int length = snprintf(
        head, sizeof head,
        "GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        path);
    if (v->way == MID_HANDSHAKE) {
        put(v, head, length / 2);
        return 0;
    }
    if (put(v, head, length) != length) return 0;
    int have = 0;
    char *end = NULL;
    while (!end || answer + have == end + 4) {
        if (have == (int)sizeof answer) return 0;
        int more = get(v, answer + have, sizeof answer - have);
        if (more <= 0) return 0;
        have += more;
        end = memmem(answer, have, "\r\n\r\n", 4);
    }
    return !memcmp(answer + 9, "101", 3);
}

static void leave(Visitor *v) {
    static const char farewell[] = {(char)0x88, (char)0x82, 1, 2, 3, 4, 3 ^ 1, (char)0xe8 ^ 2};
    char rest[65536];
    if (v->socket < 0) return;
    if (v->way >= FAREWELL) {
        put(v, farewell, sizeof farewell);
        while (get(v, rest, sizeof rest) > 0) continue;
        if (v->tls) SSL_shutdown(v->tls);
    }
    gone(v, v->way >= RESET && v->way < END);
}

static void ask(const struct sockaddr_in *address, int number, int paths, char **path) {
    Visitor v = {-1, NULL, FAREWELL};
    char head[1024], rest[65536];
    if (!arrive(&v, address, number)) fail("connect");
    long heard = 0;
    for (int i = 0; i < paths; i++) {
        int length = snprintf(head, sizeof head, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n",
                              path[i], i == paths - 1 ? "Connection: close\r\n" : "");
        if (put(&v, head, length) != length) break;
    }
    for (int more; (more = get(&v, rest, sizeof rest)) > 0;) heard += more;
    if (!heard) unanswered++;
    gone(&v, 0);
}

int main(int argc, char **argv) {
    if (argc < 8) {
        fprintf(stderr, "usage: churn HOST PORT COUNT TOGETHER SEED plain|tls|tls12|http PATH…\n");
        return 2;
    }
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[2]))};
    inet_pton(AF_INET, argv[1], &address.sin_addr);
    int count = atoi(argv[3]), together = atoi(argv[4]);
    srandom(atoi(argv[5]));
    signal(SIGPIPE, SIG_IGN);
    if (!strncmp(argv[6], "tls", 3)) {
        context = SSL_CTX_new(TLS_client_method());
        SSL_CTX_set_session_cache_mode(
            context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
        SSL_CTX_sess_set_new_cb(context, remember);
        if (!strcmp(argv[6], "tls12")) {
            SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
            SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
        }
    }
    if (!strcmp(argv[6], "http")) {
        for (int i = 0; i < count; i++) ask(&address, i, argc - 7, argv + 7);
    } else {
        Visitor *wave = calloc(together, sizeof *wave);
        for (int done = 0; done < count; done += together) {
            int size = count - done < together ? count - done : together;
            for (int i = 0; i < size; i++) {
                wave[i].way = random() % WAYS;
                int is_there = arrive(&wave[i], &address, i) && upgrade(&wave[i], argv[7]);
                if (is_there) continue;
                if (wave[i].way != MID_HANDSHAKE) unanswered++;
                gone(&wave[i], 0);
            }
            for (int i = 0; i < size; i++) leave(&wave[i]);
        }
    }
    printf("%ld\n", unanswered);
    return 0;
}
