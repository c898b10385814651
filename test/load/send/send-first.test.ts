import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { LoadSender } from "../../../src/load/send/load-sender.ts";
import { createWire, type Wire } from "../../../src/wire/client/wire.ts";
import type { WireOptions } from "../../../src/wire/client/wire-options.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { keep } from "../../make/keep.ts";
import { chunkEvent, manifestFor, startTarget, streamWords, type Answer } from "../../make/load/load-target.ts";
import { sendProfile, shortProfile } from "../../make/load/run-against.ts";

interface Opened {
  readonly wire: Wire;
  readonly manifest: ReturnType<typeof manifestFor>;
  readonly clock: WireOptions["clock"];
}

async function openTo(answer: Answer, options: Partial<WireOptions> = {}): Promise<Opened> {
  const { baseUrl } = keep(await startTarget(answer));
  const manifest = manifestFor(baseUrl);
  const clock = createRealClock();
  const wire = createWire({ ...options, manifest, clock });
  keep({ close: () => wire.close() });
  return { wire, manifest, clock };
}

/** A closed loop of so many slots, whose ends and sends are noted. */
function noting({ wire }: Opened, note: (what: string, connection: unknown) => void): LoadSender {
  return {
    burst: (requests) => wire.burst(requests),
    send: (request) =>
      wire.send({
        ...request,
        onWrite: () => request.endpoint === "chat" && note("write", request.connection),
        onEnd(end) {
          if (request.endpoint === "chat") note("end", request.connection);
          request.onEnd?.(end);
        },
      }),
  };
}

describe("between the end of an answer and the next send", () => {
  it("nothing is read, masked or judged: a connection is written to again first", async () => {
    const log: { readonly what: string; readonly connection: unknown }[] = [];
    const note = (what: string, connection: unknown = null): void => void log.push({ what, connection });
    const opened = await openTo((_, response) => streamWords(response, 5, 0, 0), {
      onExchange: ({ endpoint }) => endpoint === "chat" && note("read"),
    });
    const result = await sendProfile(
      shortProfile({ arrivals: { kind: "closed", concurrency: 8, rampSeconds: 0 }, durationSeconds: 0.5 }),
      opened.manifest,
      { ...opened, sender: noting(opened, note), onExchange: (_exchange: Exchange) => note("judged") },
    );
    const sent = result.counts.sent;
    expect(result.outcomes).toEqual({ ok: sent });
    for (const what of ["write", "end", "read", "judged"]) expect(log.filter((one) => one.what === what)).toHaveLength(sent);
    let followed = 0;
    for (const [place, { what, connection }] of log.entries()) {
      if (what !== "end") continue;
      const next = log.findIndex((one, at) => at > place && one.what === "write" && one.connection === connection);
      if (next === -1) continue;
      followed += 1;
      const between = log.slice(place + 1, next).map((one) => one.what);
      expect(between).not.toContain("read");
      expect(between).not.toContain("judged");
    }
    expect(followed).toBe(sent - 8);
  });

  it("does not hold where the answer decides whether it is sent again", async () => {
    const log: string[] = [];
    let requests = 0;
    const enough = new AbortController();
    const opened = await openTo((_, response) => {
      requests += 1;
      if (requests === 9) enough.abort();
      response.writeHead(requests % 2 === 0 ? 200 : 503, { "content-type": "application/json", "retry-after": "0" });
      response.end("{}");
    });
    const result = await sendProfile(
      shortProfile({
        arrivals: { kind: "closed", concurrency: 1 },
        workload: [{ endpoint: "models" }],
        durationSeconds: 300,
        retry: { max: 1, retryAfter: "obey" },
        abort: { errorRate: 1 },
      }),
      opened.manifest,
      {
        ...opened,
        sender: opened.wire,
        signal: enough.signal,
        onExchange: ({ response }) => void log.push(String(response?.status)),
      },
    );
    expect(result.counts.retried).toBeGreaterThan(1);
    expect(log.slice(0, 4)).toEqual(["503", "200", "503", "200"]);
  });
});

describe("a load that there is no room for", () => {
  it("ends as a fault of the generator and is no error of the target", async () => {
    const opened = await openTo(
      (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (let event = 0; event < 400; event += 1) {
          response.write(
            chunkEvent({ content: Array.from({ length: 40 }, (_each, place) => (event * 7919 * (place + 3)) % 9973).join() }),
          );
        }
        response.end("data: [DONE]\n\n");
      },
      { loadBytes: 60_000 },
    );
    const result = await sendProfile(
      shortProfile({
        arrivals: { kind: "closed", concurrency: 6, rampSeconds: 0 },
        durationSeconds: 300,
        gates: ["errors == 0"],
      }),
      opened.manifest,
      { ...opened, sender: opened.wire },
    );
    expect(result.outcomes["transport-error"]).toBeUndefined();
    expect(result.outcomes.interrupted).toBeGreaterThan(0);
    expect(result.validity.reasons.join()).toContain("ended early: the generator has no room for more answers under way");
    expect(result.gates.map(({ verdict }) => verdict)).toEqual(["inconclusive"]);
  });
});
