import com.sun.net.httpserver.HttpServer;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** `Zoo PORT LIMITER LIMIT`: Java limiters behind one small service. */
public final class Zoo {
  record Decision(boolean admitted, long remaining, long resetMs, long retryMs) {}

  static Supplier<Decision> bucket(Bandwidth bandwidth) {
    Bucket bucket = Bucket.builder().addLimit(bandwidth).build();
    return () -> {
      ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
      long nowMs = System.currentTimeMillis();
      long resetMs = nowMs + probe.getNanosToWaitForReset() / 1_000_000 + 1;
      long retryMs = probe.getNanosToWaitForRefill() / 1_000_000 + 1;
      return new Decision(probe.isConsumed(), probe.getRemainingTokens(), resetMs, retryMs);
    };
  }

  static Supplier<Decision> cycles(int limit, long periodMs) {
    RateLimiterConfig config = RateLimiterConfig.custom()
        .limitForPeriod(limit)
        .limitRefreshPeriod(Duration.ofMillis(periodMs))
        .timeoutDuration(Duration.ZERO)
        .build();
    RateLimiter limiter = RateLimiter.of("zoo", config);
    // Cycles are counted from its construction; a hair later is on the safe side.
    long beganMs = System.currentTimeMillis() + 20;
    return () -> {
      boolean admitted = limiter.acquirePermission();
      int remaining = Math.max(0, limiter.getMetrics().getAvailablePermissions());
      long nowMs = System.currentTimeMillis();
      long resetMs = beganMs + (Math.max(0, nowMs - beganMs) / periodMs + 1) * periodMs;
      return new Decision(admitted, remaining, resetMs, resetMs - nowMs);
    };
  }

  public static void main(String[] args) throws Exception {
    int limit = Integer.parseInt(args[2]);
    Duration minute = Duration.ofMinutes(1);
    Supplier<Supplier<Decision>> create = switch (args[1]) {
      case "bucket4j-greedy" -> () -> bucket(Bandwidth.builder().capacity(limit).refillGreedy(limit, minute).build());
      case "bucket4j-intervally" -> () -> bucket(Bandwidth.builder().capacity(limit).refillIntervally(limit, minute).build());
      case "bucket4j-batches" -> () -> bucket(Bandwidth.builder().capacity(limit).refillIntervally(limit / 6, Duration.ofSeconds(10)).build());
      case "resilience4j" -> () -> cycles(limit, 60_000);
      case "resilience4j-50" -> () -> cycles(limit, 50_000);
      default -> throw new IllegalArgumentException(args[1]);
    };
    ConcurrentHashMap<String, Supplier<Decision>> groups = new ConcurrentHashMap<>();
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), 100);
    server.setExecutor(Executors.newFixedThreadPool(16));
    server.createContext("/", exchange -> {
      String group = exchange.getRequestHeaders().getFirst("x-group");
      Decision decision = groups.computeIfAbsent(group == null ? "" : group, one -> create.get()).get();
      exchange.getResponseHeaders().set("x-zoo-remaining", Long.toString(decision.remaining()));
      exchange.getResponseHeaders().set("x-zoo-reset-ms", Long.toString(decision.resetMs()));
      exchange.getResponseHeaders().set("x-zoo-retry-ms", Long.toString(decision.retryMs()));
      exchange.sendResponseHeaders(decision.admitted() ? 200 : 429, -1);
      exchange.close();
    });
    server.start();
  }
}
