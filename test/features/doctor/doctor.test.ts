import type { RequestListener } from "node:http";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import type { Diagnosis } from "../../../src/command/diagnosis.ts";
import { diagnose } from "../../../src/features/doctor/diagnose/diagnose.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { serveHttp, serveTcp } from "../../make/wire/test-server.ts";

/** A clock whose sleeps take no time and shift it. */
function leapingClock(): Clock & { shiftMs(): number } {
  const real = createRealClock();
  let shift = 0;
  return {
    shiftMs: () => shift,
    nowMs: () => real.nowMs() + shift,
    wallMs: () => real.wallMs() + shift,
    sleep: async (ms) => {
      shift += ms;
    },
  };
}

interface Visit {
  readonly diagnoses: Readonly<Record<string, Diagnosis>>;
  readonly requests: number;
}

async function visit(listener: (clock: ReturnType<typeof leapingClock>) => RequestListener, suffix = ""): Promise<Visit> {
  const clock = leapingClock();
  let requests = 0;
  const answer = listener(clock);
  const server = await serveHttp((request, response) => {
    requests += 1;
    answer(request, response);
  });
  const found = await diagnose(testManifest(`${server.url}${suffix}`), { clock });
  return { diagnoses: Object.fromEntries(found.map((one) => [one.check, one])), requests };
}

/** A service as the specification has it, its clock `aheadMs` ahead. */
function goodService(aheadMs: number): (clock: ReturnType<typeof leapingClock>) => RequestListener {
  return (clock) => (request, response) => {
    const nowMs = clock.wallMs() + aheadMs;
    response.setHeader("date", new Date(nowMs).toUTCString());
    for (const unit of ["requests", "tokens"]) {
      response.setHeader(`x-ratelimit-limit-${unit}`, 60);
      response.setHeader(`x-ratelimit-remaining-${unit}`, 59);
      response.setHeader(`x-ratelimit-reset-${unit}`, Math.ceil(nowMs / 1000) + 30);
    }
    response.setHeader("content-type", "application/json");
    if (request.url !== "/v1/models") response.writeHead(404).end('{"error":{"code":"not_found"}}');
    else if (request.headers.authorization === undefined) response.writeHead(401).end('{"error":{"code":"unauthorized"}}');
    else response.end('{"object":"list","data":[]}');
  };
}

describe("doctor", () => {
  it("finds nothing wrong with a good service, in at most ten requests, and measures its clock", async () => {
    const { diagnoses, requests } = await visit(goodService(400));
    expect(requests).toBeLessThanOrEqual(10);
    const { descriptors: _, ...others } = diagnoses;
    expect(Object.values(others).map(({ check, status }) => [check, status])).toEqual([
      ["address", "ok"],
      ["connection", "ok"],
      ["http", "ok"],
      ["base-path", "ok"],
      ["authentication", "ok"],
      ["credential", "ok"],
      ["rate-limit-headers", "ok"],
      ["clock", "ok"],
      ["keep-alive", "ok"],
      ["round-trip", "ok"],
    ]);
    const [low, high] = /is (-?\d+) to (-?\d+) ms/.exec(diagnoses["clock"]!.message)!.slice(1).map(Number);
    expect(low).toBeLessThanOrEqual(400);
    expect(high).toBeGreaterThanOrEqual(400);
    expect(high! - low!).toBeLessThan(250);
  });

  it("names a wrong clock, a refused key, an open door and another dialect", async () => {
    const { diagnoses } = await visit((clock) => (request, response) => {
      response.setHeader("date", new Date(clock.wallMs() - 90_000).toUTCString());
      response.setHeader("x-ratelimit-limit-requests", "60");
      response.setHeader("x-ratelimit-remaining-requests", "59");
      response.setHeader("x-ratelimit-reset-requests", "1s");
      response.statusCode = request.headers.authorization === undefined ? 200 : 401;
      response.end("{}");
    });
    expect(diagnoses["clock"]?.status).toBe("warning");
    expect(diagnoses["authentication"]).toMatchObject({ status: "warning", message: "requests without a key are answered" });
    expect(diagnoses["credential"]).toMatchObject({ status: "failed", message: "the primary key is refused" });
    expect(diagnoses["rate-limit-headers"]?.message).toContain("x-ratelimit-reset-requests duration");
  });

  it("notices a base URL that ends with the version, and one that is a web site", async () => {
    const { diagnoses } = await visit(goodService(0), "/v1");
    expect(diagnoses["base-path"]).toMatchObject({
      status: "failed",
      hint: expect.stringMatching(/set target\.baseUrl to http:\S+\d:/),
    });
    const site = await visit(() => (_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<h1>hello</h1>");
    });
    expect(site.diagnoses["base-path"]).toMatchObject({ status: "failed", message: "the answer is an HTML page" });
  });

  it("judges keys and limits nowhere but at the API, and says what answers in its place", async () => {
    const skipped = { status: "skipped", message: expect.stringContaining("not judged") as unknown };
    const nowhere = await visit(() => (_request, response) => response.writeHead(404).end('{"detail":"Not Found"}'));
    expect(nowhere.diagnoses).toMatchObject({
      "base-path": { status: "failed", message: expect.stringContaining("Not Found") as unknown },
      authentication: skipped,
      credential: skipped,
      "rate-limit-headers": skipped,
    });
    const down = await visit(() => (_request, response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>"));
    expect(down.diagnoses["base-path"]).toMatchObject({
      status: "failed",
      message: "GET /v1/models is answered 502 with an HTML page",
      hint: expect.stringContaining("is the service behind it up?") as unknown,
    });
  });

  it("stops where an answer begins and does not finish", async () => {
    const { diagnoses, requests } = await visit(() => (_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": 100 });
      response.write("{", () => response.destroy());
    });
    expect(requests).toBe(1);
    expect(diagnoses["http"]).toMatchObject({ status: "failed", hint: expect.stringContaining("does not finish") as unknown });
  });

  it("stops where nothing answers", async () => {
    const server = await serveTcp(() => {});
    await server.close();
    const found = await diagnose(testManifest(server.url), { clock: leapingClock() });
    expect(found.at(-1)).toMatchObject({ check: "connection", status: "failed", message: "the connection was refused" });
    const unknown = await diagnose(testManifest("http://no-such-host.invalid"), { clock: leapingClock() });
    expect(unknown.at(-1)).toMatchObject({ check: "address", status: "failed" });
    const mute = await serveTcp((socket) => socket.end("SSH-2.0-OpenSSH\r\n"));
    const odd = await diagnose(testManifest(mute.url), { clock: leapingClock() });
    expect(odd.at(-1)).toMatchObject({ check: "http", status: "failed" });
  });
});
