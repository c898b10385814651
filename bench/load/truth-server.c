// The server with known truth of truth-server.ts, in C: it costs the machine less, so that more of the two processors is left to the
// client that is measured. One thread, epoll. Arguments: events of a stream, milliseconds between them, and before the first.
// It writes its port as the first line. The line "truth" on its input is answered by one line of JSON; it ends with its input.
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  int fd, isStream, left, place; // `place`: where it stands among the open streams.
  long id;
  double readMs, dueMs, firstMs;
  char *in, *out;
  size_t inLength, inRoom, outLength, outRoom;
} Connection;

typedef struct {
  double ttft, tpot, answer;
} Finished;

static int events = 50, poller, openStreams, finishedCount, streamRoom, finishedRoom;
static double intervalMs = 20, firstDelayMs = 100;
static long answered, completions, created;
static Connection **streams;
static Finished *finished;
static char limits[512], models[256];

static double nowMs(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e3 * (double)time.tv_sec + (double)time.tv_nsec / 1e6;
}

static void *grown(void *memory, size_t size) {
  void *larger = realloc(memory, size);
  if (larger == NULL) {
    perror("memory");
    exit(1);
  }
  return larger;
}

static void watchFor(Connection *each, unsigned what) {
  struct epoll_event event = {.events = what, .data.ptr = each};
  epoll_ctl(poller, EPOLL_CTL_MOD, each->fd, &event);
}

static void leaveStreams(Connection *each) {
  if (!each->isStream) return;
  each->isStream = 0;
  streams[each->place] = streams[--openStreams];
  streams[each->place]->place = each->place;
}

static void closeConnection(Connection *each) {
  leaveStreams(each);
  close(each->fd);
  free(each->in);
  free(each->out);
  free(each);
}

// Sends what the socket takes and keeps the rest until it is writable.
static void sendBytes(Connection *each, const char *bytes, size_t length) {
  size_t sent = 0;
  if (each->outLength == 0) {
    ssize_t count = send(each->fd, bytes, length, MSG_NOSIGNAL);
    if (count > 0) sent = (size_t)count;
    if (sent == length) return;
    watchFor(each, EPOLLIN | EPOLLOUT);
  }
  size_t rest = length - sent;
  if (each->outLength + rest > each->outRoom) each->out = grown(each->out, each->outRoom = 2 * (each->outLength + rest));
  memcpy(each->out + each->outLength, bytes + sent, rest);
  each->outLength += rest;
}

static void flush(Connection *each) {
  ssize_t count = send(each->fd, each->out, each->outLength, MSG_NOSIGNAL);
  if (count <= 0) return;
  each->outLength -= (size_t)count;
  memmove(each->out, each->out + count, each->outLength);
  if (each->outLength == 0) watchFor(each, EPOLLIN);
}

static void answerJson(Connection *each, const char *body) {
  char text[2048];
  answered += 1;
  int length = snprintf(text, sizeof text,
                        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_%ld\r\n%scontent-length: %zu\r\n\r\n%s",
                        answered, limits, strlen(body), body);
  sendBytes(each, text, (size_t)length);
}

static int writeChunk(char *to, size_t room, const char *data) {
  return snprintf(to, room, "%zx\r\ndata: %s\n\n\r\n", strlen(data) + 8, data);
}

static void writePart(char *to, size_t room, long id, const char *delta, const char *reason, const char *more) {
  snprintf(to, room,
           "{\"id\":\"chatcmpl-%ld\",\"object\":\"chat.completion.chunk\",\"created\":%ld,\"model\":\"bench-model\","
           "\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]%s}",
           id, created, delta, reason, more);
}

static void finishStream(Connection *each, double lastMs) {
  if (finishedCount == finishedRoom) finished = grown(finished, (size_t)(finishedRoom = 2 * finishedRoom + 1024) * sizeof *finished);
  finished[finishedCount++] = (Finished){
      .ttft = each->firstMs - each->readMs,
      .tpot = events > 1 ? (lastMs - each->firstMs) / (events - 1) : 0,
      .answer = lastMs - each->readMs,
  };
  leaveStreams(each);
}

static void writeEvent(Connection *each) {
  char part[512], text[2048], usage[128];
  int isFirst = each->left == events;
  each->left -= 1;
  each->dueMs += intervalMs;
  double wroteMs = nowMs();
  if (isFirst) each->firstMs = wroteMs;
  writePart(part, sizeof part, each->id, isFirst ? "{\"role\":\"assistant\",\"content\":\" token\"}" : "{\"content\":\" token\"}", "null", "");
  int length = writeChunk(text, sizeof text, part);
  if (each->left == 0) {
    snprintf(usage, sizeof usage, ",\"usage\":{\"prompt_tokens\":32,\"completion_tokens\":%d,\"total_tokens\":%d}", events, 32 + events);
    writePart(part, sizeof part, each->id, "{}", "\"stop\"", usage);
    length += writeChunk(text + length, sizeof text - (size_t)length, part);
    length += writeChunk(text + length, sizeof text - (size_t)length, "[DONE]");
    length += snprintf(text + length, sizeof text - (size_t)length, "0\r\n\r\n");
  }
  sendBytes(each, text, (size_t)length);
  if (each->left == 0) finishStream(each, wroteMs);
}

static void beginStream(Connection *each) {
  char head[1024];
  each->readMs = nowMs();
  int length = snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n%stransfer-encoding: chunked\r\n\r\n", limits);
  sendBytes(each, head, (size_t)length);
  if (openStreams == streamRoom) streams = grown(streams, (size_t)(streamRoom = 2 * streamRoom + 1024) * sizeof *streams);
  each->isStream = 1;
  each->left = events;
  each->id = ++completions;
  each->dueMs = each->readMs + firstDelayMs;
  each->place = openStreams;
  streams[openStreams++] = each;
}

static void serve(Connection *each, const char *head, const char *body, size_t length) {
  if (strncmp(head, "POST", 4) != 0) {
    answerJson(each, strncmp(head, "GET /v1/models", 14) == 0 ? models : "{}");
  } else if (memmem(body, length, "\"stream\":true", 13) != NULL) {
    beginStream(each);
  } else {
    char text[512];
    snprintf(text, sizeof text,
             "{\"id\":\"chatcmpl-%ld\",\"object\":\"chat.completion\",\"created\":%ld,\"model\":\"bench-model\",\"choices\":[{\"index\":0,"
             "\"message\":{\"role\":\"assistant\",\"content\":\"Hello there.\"},\"finish_reason\":\"stop\"}],"
             "\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":9,\"total_tokens\":21}}",
             ++completions, created);
    answerJson(each, text);
  }
}

// Serves what has arrived whole; the rest stays for the next read.
static void serveArrived(Connection *each) {
  size_t done = 0;
  for (;;) {
    char *start = each->in + done;
    size_t length = each->inLength - done;
    char *end = memmem(start, length, "\r\n\r\n", 4);
    if (end == NULL) break;
    *end = 0;
    const char *field = strcasestr(start, "\r\ncontent-length:");
    size_t bodyLength = field == NULL ? 0 : strtoul(field + 17, NULL, 10);
    size_t whole = (size_t)(end - start) + 4 + bodyLength;
    if (whole > length) {
      *end = '\r';
      break;
    }
    serve(each, start, end + 4, bodyLength);
    done += whole;
  }
  each->inLength -= done;
  memmove(each->in, each->in + done, each->inLength);
}

// Returns 0 when the connection has ended.
static int readConnection(Connection *each) {
  if (each->inLength + 16384 > each->inRoom) each->in = grown(each->in, each->inRoom = each->inLength + 65536);
  ssize_t count = recv(each->fd, each->in + each->inLength, each->inRoom - each->inLength, 0);
  if (count == 0 || (count < 0 && errno != EAGAIN)) return 0;
  if (count > 0) each->inLength += (size_t)count;
  serveArrived(each);
  return 1;
}

static void acceptAll(int listener) {
  int fd;
  while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Connection *each = calloc(1, sizeof *each);
    each->fd = fd;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = each};
    epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
  }
}

static void writeList(const char *name, size_t offset) {
  printf(",\"%s\":[", name);
  for (int at = 0; at < finishedCount; at += 1) printf("%s%.4f", at == 0 ? "" : ",", *(double *)((char *)&finished[at] + offset));
  printf("]");
}

// Writes everything since it was asked before.
static void writeTruth(void) {
  printf("{\"requests\":%ld,\"streams\":%d", answered, finishedCount);
  writeList("ttft", offsetof(Finished, ttft));
  writeList("tpot", offsetof(Finished, tpot));
  writeList("answer", offsetof(Finished, answer));
  printf("}\n");
  fflush(stdout);
  answered = finishedCount = 0;
}

static int listenSomewhere(void) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 4096) != 0) {
    perror("listen");
    exit(1);
  }
  getsockname(listener, (struct sockaddr *)&address, &length);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return listener;
}

int main(int count, char **arguments) {
  if (count > 1) events = atoi(arguments[1]);
  if (count > 2) intervalMs = atof(arguments[2]);
  if (count > 3) firstDelayMs = atof(arguments[3]);
  created = time(NULL);
  for (int unit = 0; unit < 2; unit += 1) {
    const char *name = unit == 0 ? "requests" : "tokens";
    size_t used = strlen(limits);
    snprintf(limits + used, sizeof limits - used,
             "x-ratelimit-limit-%s: 1000000000\r\nx-ratelimit-remaining-%s: 999999999\r\nx-ratelimit-reset-%s: %ld\r\n", name, name, name,
             created + 3600);
  }
  snprintf(models, sizeof models,
           "{\"object\":\"list\",\"data\":[{\"id\":\"bench-model\",\"object\":\"model\",\"created\":%ld,\"owned_by\":\"bench\"}]}", created);
  poller = epoll_create1(0);
  static char forListener, forInput;
  int listener = listenSomewhere();
  struct epoll_event accepting = {.events = EPOLLIN, .data.ptr = &forListener}, asking = {.events = EPOLLIN, .data.ptr = &forInput};
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &accepting);
  epoll_ctl(poller, EPOLL_CTL_ADD, STDIN_FILENO, &asking);
  struct epoll_event ready[256];
  for (;;) {
    int found = epoll_wait(poller, ready, 256, openStreams > 0 ? 1 : -1);
    for (int at = 0; at < found; at += 1) {
      void *what = ready[at].data.ptr;
      if (what == &forListener) {
        acceptAll(listener);
      } else if (what == &forInput) {
        char line[64];
        if (read(STDIN_FILENO, line, sizeof line) <= 0) return 0;
        writeTruth();
      } else {
        Connection *each = what;
        if (ready[at].events & EPOLLOUT) flush(each);
        if ((ready[at].events & ~(unsigned)EPOLLOUT) && !readConnection(each)) closeConnection(each);
      }
    }
    double atMs = nowMs();
    // Backwards: a stream that ends gives its place to the last one.
    for (int at = openStreams - 1; at >= 0; at -= 1) if (streams[at]->dueMs <= atMs) writeEvent(streams[at]);
  }
}
