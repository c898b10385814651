import { MemoryStore, type Options } from "express-rate-limit";
import { TokenBucket } from "limiter";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** The answer of a limiter: its own numbers, before an integration uses them. */
export interface ZooDecision {
  readonly status: number;
  readonly remaining: number | null;
  readonly resetMs: number | null;
  readonly retryMs: number | null;
}

/** A running limiter: `decide` asks it for one request of a group. */
export interface Upstream {
  decide(group: string): Promise<ZooDecision>;
  close(): void;
}

/** The folder in which `setup.sh` put its builds. */
const built = process.env["ZOO_BUILD"] ?? "/tmp/limits-zoo";
const here = import.meta.dirname;

const free = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

async function run(program: string, argsOf: (port: number) => readonly string[]): Promise<Upstream> {
  const port = await free();
  const child = spawn(program, argsOf(port), { stdio: ["ignore", "ignore", "inherit"] });
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const upstream: Upstream = {
    decide: (group) => ask(port, agent, group),
    close: () => {
      agent.destroy();
      child.kill("SIGTERM");
    },
  };
  await untilReady(child, () => upstream.decide("ready"));
  return upstream;
}

async function untilReady(child: ChildProcess, tryOnce: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    const ready = await tryOnce().then(
      () => true,
      () => false,
    );
    if (ready) return;
    await delay(200);
  }
  throw new Error(`${child.spawnfile} did not start`);
}

function ask(port: number, agent: Agent, group: string): Promise<ZooDecision> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path: "/", agent, headers: { "x-group": group } }, (response) => {
      response.resume();
      const number = (name: string): number | null => {
        const value = response.headers[name];
        return typeof value === "string" ? Number(value) : null;
      };
      const seconds = number("retry-after");
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          remaining: number("x-zoo-remaining"),
          resetMs: number("x-zoo-reset-ms"),
          retryMs: number("x-zoo-retry-ms") ?? (seconds === null ? null : seconds * 1000),
        }),
      );
    });
    asked.on("error", reject);
    asked.end();
  });
}

let redis: Promise<number> | null = null;
const started: ChildProcess[] = [];

/** One Redis for all setups; their keys hold their names and ports. */
function redisPort(): Promise<number> {
  redis ??= (async () => {
    const port = await free();
    const child = spawn("redis-server", ["--port", String(port), "--save", "", "--bind", "127.0.0.1"], { stdio: "ignore" });
    started.push(child);
    await delay(700);
    return port;
  })();
  return redis;
}

export function stopShared(): void {
  for (const child of started) child.kill("SIGTERM");
}

export const go = async (name: string, limit = 30): Promise<Upstream> => {
  const shared = name === "redis-rate" ? [String(await redisPort())] : [];
  return run(join(built, "go-zoo"), (port) => [String(port), name, String(limit), ...shared]);
};

export const rust = (limit = 30, burst: number = limit): Promise<Upstream> =>
  run(join(built, "cargo/release/zoo"), (port) => [String(port), String(limit), String(burst)]);

export const java = (name: string, limit = 30): Promise<Upstream> =>
  run("java", (port) => [
    "-Xmx64m",
    "-XX:+UseSerialGC",
    "-cp",
    `${join(built, "classes")}:${join(built, "jars")}/*`,
    "Zoo",
    String(port),
    name,
    String(limit),
  ]);

export const python = async (name: string, limit = 30): Promise<Upstream> => {
  const shared = String(await redisPort());
  return run(join(built, "venv/bin/python"), (port) => [
    join(here, "python/server.py"),
    String(port),
    name,
    String(limit),
    shared,
  ]);
};

const configured = (name: string, text: (port: number, folder: string) => string): ((port: number) => string) => {
  const folder = mkdtempSync(join(tmpdir(), "limits-zoo-"));
  return (port) => {
    const file = join(folder, name);
    writeFileSync(file, text(port, folder));
    return file;
  };
};

/** `http_req_rate(60s)` counts what is refused as well; it names no wait, so that a constant is configured. */
export const haproxy = (retrySeconds: number, limit = 30): Promise<Upstream> => {
  const file = configured(
    "haproxy.cfg",
    (port) => `global
  maxconn 200
defaults
  mode http
  timeout client 120s
  timeout connect 5s
  timeout server 30s
frontend zoo
  bind 127.0.0.1:${port}
  stick-table type string len 200 size 10k expire 10m store http_req_rate(60s)
  http-request track-sc0 req.hdr(x-group)
  http-request return status 429 hdr Retry-After ${retrySeconds} if { sc_http_req_rate(0) gt ${limit} }
  http-request return status 200
`,
  );
  return run("haproxy", (port) => ["-db", "-q", "-f", file(port)]);
};

/** `limit_req`: a bucket of one and the burst; 503 is what it answers unless asked otherwise. */
export const nginx = (status: 429 | 503, limit = 30): Promise<Upstream> => {
  const file = configured(
    "nginx.conf",
    (port, folder) => `daemon off; worker_processes 2; pid ${folder}/pid; error_log ${folder}/error.log crit;
events { }
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  keepalive_timeout 600s; keepalive_requests 100000;
  limit_req_zone $http_x_group zone=groups:1m rate=${limit}r/m;
  server {
    listen 127.0.0.1:${port};
    location / { limit_req zone=groups burst=${limit - 1} nodelay; ${status === 503 ? "" : `limit_req_status ${status};`} add_header Retry-After 2 always; try_files /none @ok; }
    location @ok { return 204; }
  }
}
`,
  );
  return run("nginx", (port) => ["-c", file(port)]);
};

const inProcess = (decide: Upstream["decide"]): Upstream => ({ decide, close: () => undefined });

export const expressStore = (limit = 30): Promise<Upstream> => {
  const store = new MemoryStore();
  store.init({ windowMs: 60_000 } as Options);
  return Promise.resolve(
    inProcess(async (group) => {
      const { totalHits, resetTime } = await store.increment(group);
      const resetMs = resetTime!.getTime();
      return {
        status: totalHits <= limit ? 200 : 429,
        remaining: Math.max(0, limit - totalHits),
        resetMs,
        retryMs: resetMs - Date.now(),
      };
    }),
  );
};

export const flexible = (limit = 30): Promise<Upstream> => {
  const limiter = new RateLimiterMemory({ points: limit, duration: 60 });
  return Promise.resolve(
    inProcess(async (group) => {
      const of = (status: number, state: RateLimiterRes): ZooDecision => ({
        status,
        remaining: state.remainingPoints,
        resetMs: Date.now() + state.msBeforeNext,
        retryMs: state.msBeforeNext,
      });
      try {
        return of(200, await limiter.consume(group));
      } catch (state) {
        if (state instanceof RateLimiterRes) return of(429, state);
        throw state;
      }
    }),
  );
};

export const bucket = (limit = 30, perMinute: number = limit): Promise<Upstream> => {
  const buckets = new Map<string, TokenBucket>();
  return Promise.resolve(
    inProcess(async (group) => {
      let one = buckets.get(group);
      if (one === undefined) {
        one = new TokenBucket({ bucketSize: limit, tokensPerInterval: perMinute, interval: 60_000 });
        one.content = limit;
        buckets.set(group, one);
      }
      const admitted = one.tryRemoveTokens(1);
      return {
        status: admitted ? 200 : 429,
        remaining: Math.floor(one.content),
        resetMs: Date.now() + ((limit - one.content) * 60_000) / perMinute,
        retryMs: admitted ? 0 : one.getWaitTime(1),
      };
    }),
  );
};
