"""`server.py PORT LIMITER LIMIT [REDIS_PORT]`: Python limiters behind one small service."""

import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import limits
import redis
import throttled

port, name, limit = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
redis_url = f"redis://127.0.0.1:{sys.argv[4]}" if len(sys.argv) > 4 else None
lock = threading.Lock()


def now_ms():
    return time.time() * 1000


def from_limits(strategy, storage, seconds=60, test_first=False):
    """The package `limits`; `test_first` asks whether a request would pass and counts it in a second step, without a lock."""
    limiter = strategy(storage)
    item = limits.RateLimitItemPerSecond(limit, seconds)

    def decide(group):
        if test_first:
            admitted = limiter.test(item, group)
            time.sleep(0.002)
            if admitted:
                limiter.hit(item, group)
        else:
            admitted = limiter.hit(item, group)
        stats = limiter.get_window_stats(item, group)
        return admitted, stats.remaining, stats.reset_time * 1000, stats.reset_time * 1000 - now_ms()

    return decide


def from_throttled(algorithm, burst):
    limiter = throttled.Throttled(using=algorithm, quota=throttled.per_min(limit, burst=burst))

    def decide(group):
        result = limiter.limit(group)
        state = result.state
        return not result.limited, state.remaining, now_ms() + state.reset_after * 1000, state.retry_after * 1000

    return decide


def redis_counter(steps):
    """A counter in Redis as it is often written; `steps` names the way it is counted."""
    client = redis.Redis.from_url(redis_url)

    def decide(group):
        key = group
        if steps == "aligned":
            start = int(now_ms() // 60000) * 60000
            used = client.incr(f"{key}@{start}")
            client.expire(f"{key}@{start}", 120)
            end = start + 60000
        elif steps == "incr":
            used = client.incr(key)
            if used == 1:
                client.expire(key, 60)
            end = now_ms() + max(0, client.pttl(key))
        elif steps == "ttl-refreshed":
            used = client.incr(key)
            client.expire(key, 60)
            end = now_ms() + 60000
        elif steps == "get-then-set":
            used = int(client.get(key) or 0) + 1
            time.sleep(0.002)
            if used == 1:
                client.set(key, used, ex=60)
            elif used <= limit:
                client.set(key, used, keepttl=True)
            end = now_ms() + max(0, client.pttl(key))
        elif steps == "get-then-incr":
            used = int(client.get(key) or 0) + 1
            time.sleep(0.002)
            if used <= limit:
                used = client.incr(key)
                if used == 1:
                    client.expire(key, 60)
                return True, max(0, limit - used), now_ms() + max(0, client.pttl(key)), 0
            end = now_ms() + max(0, client.pttl(key))
        else:
            raise SystemExit(f"no counter is called {steps}")
        return used <= limit, max(0, limit - used), end, end - now_ms()

    return decide


def create():
    memory, fixed = limits.storage.MemoryStorage, limits.strategies.FixedWindowRateLimiter
    moving, counter = limits.strategies.MovingWindowRateLimiter, limits.strategies.SlidingWindowCounterRateLimiter
    if name == "limits-fixed":
        return from_limits(fixed, memory())
    if name == "limits-fixed-50":
        return from_limits(fixed, memory(), 50)
    if name == "limits-moving":
        return from_limits(moving, memory())
    if name == "limits-counter":
        return from_limits(counter, memory())
    if name == "limits-test-then-hit":
        return from_limits(fixed, memory(), 60, True)
    if name == "limits-fixed-redis":
        return from_limits(fixed, limits.storage.storage_from_string(redis_url))
    if name == "limits-moving-redis":
        return from_limits(moving, limits.storage.storage_from_string(redis_url))
    if name.startswith("throttled-py-"):
        return from_throttled(name.removeprefix("throttled-py-"), limit)
    if name.startswith("redis-"):
        return redis_counter(name.removeprefix("redis-"))
    raise SystemExit(f"no limiter is called {name}")


decide = create()
# A limiter of this process alone is used one request at a time; what counts in Redis, or in two steps, is not.
alone = "redis" not in name and name != "limits-test-then-hit"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        # Several setups share one Redis.
        group = f"{name}:{port}:{self.headers.get('x-group', '')}"
        if alone:
            with lock:
                admitted, remaining, reset_ms, retry_ms = decide(group)
        else:
            admitted, remaining, reset_ms, retry_ms = decide(group)
        self.send_response(200 if admitted else 429)
        self.send_header("x-zoo-remaining", str(int(remaining)))
        self.send_header("x-zoo-reset-ms", str(int(reset_ms) + 1))
        self.send_header("x-zoo-retry-ms", str(max(0, int(retry_ms) + 1)))
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128


Server(("127.0.0.1", port), Handler).serve_forever()
