import { Agent, createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Manifest } from "../../../src/core/manifest.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { findReplays } from "../../../src/limits/history/find-replays.ts";
import { readHistory } from "../../../src/limits/history/history.ts";
import { tolerancesFor } from "../../../src/limits/history/tolerances.ts";
import { markupOf } from "../../../src/report/escape/safe-html.ts";
import { renderLimits } from "../../../src/report/html/limits-section.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { createScreen } from "../../../src/report/terminal/screen.ts";
import { renderSummary } from "../../../src/report/terminal/summary.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";
import { simulatedManifest } from "../simulation/exam.ts";
import { recordSwitch } from "../sockets/examine-switch.ts";

/** Requests that one kept answer serves before the service is asked again. */
const servedByOne = 3;

interface Kept {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  left: number;
}

interface Cache {
  readonly declare: (manifest: Manifest) => Manifest;
  /** Answers that it gave itself. */
  readonly given: () => number;
}

interface Keeping {
  /** Begin of the paths that it keeps. */
  readonly keeps?: string;
  /** The age that it states; null: none. */
  readonly age?: string | null;
  /** Requests that one kept answer serves. */
  readonly most?: number;
}

/** A cache before a service, which keeps what was asked for by the same key in the same words; `obeys`: not where a client asks it not to. */
async function startCache(obeys: boolean, { keeps = "/", age = "7", most = servedByOne }: Keeping = {}): Promise<Cache> {
  let upstream = new URL("http://127.0.0.1");
  let given = 0;
  const kept = new Map<string, Kept>();
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", url: path = "/", headers } = incoming;
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => void parts.push(part));
    incoming.on("end", () => {
      const sent = Buffer.concat(parts);
      const name = JSON.stringify([method, path, headers.authorization ?? "", sent.toString("latin1")]);
      const known = kept.get(name);
      if (known !== undefined && known.left > 0 && !(obeys && headers["cache-control"] === "no-cache")) {
        known.left -= 1;
        given += 1;
        outgoing.writeHead(known.status, age === null ? known.headers : { ...known.headers, age }).end(known.body);
        return;
      }
      const { hostname, port } = upstream;
      const behind = request({ hostname, port, path, method, headers, agent }, (answer) => {
        const received: Buffer[] = [];
        answer.on("data", (part: Buffer) => void received.push(part));
        answer.on("end", () => {
          const body = Buffer.concat(received);
          const status = answer.statusCode ?? 502;
          if (status === 200 && path.startsWith(keeps)) kept.set(name, { status, headers: answer.headers, body, left: most });
          outgoing.writeHead(status, answer.headers).end(body);
        });
      });
      behind.on("error", () => outgoing.destroy());
      behind.end(sent);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    given: () => given,
    declare: (manifest) => {
      upstream = new URL(manifest.target.baseUrl);
      return { ...manifest, target: { ...manifest.target, baseUrl: `http://127.0.0.1:${port}` } };
    },
  };
}

describe("an exam through a cache", () => {
  it.each(["limits", "tokens"] as const)("asks for what no cache keeps that clients may pass by: %s", async (area) => {
    const cache = await startCache(true);
    const { exchanges, manifest } = await recordSwitch(area, null, { declare: cache.declare });
    const { result } = judgeLimits({ exchanges, manifest, strict: false });
    expect(cache.given()).toBe(0);
    expect(result.policies.filter(({ drivenBy }) => drivenBy === "exam").map(({ verdict }) => verdict)).not.toContain(
      "inconclusive",
    );
    expect(result.account?.flatMap(({ leftOut }) => leftOut)).toEqual([]);
  });

  it("accuses nobody of what a cache says that cannot be passed by, and names what it left out", async () => {
    const cache = await startCache(false);
    const { exchanges, manifest } = await recordSwitch("limits", null, { declare: cache.declare, mayEndEarly: true });
    const { result: limits, findings } = judgeLimits({ exchanges, manifest, strict: false });
    expect(cache.given()).toBeGreaterThan(servedByOne);
    expect(findings.filter(({ verdict }) => verdict === "fail").map(({ check, message }) => [check, message])).toEqual([]);
    const own = limits.account?.find(({ leftOut }) => leftOut.length > 0);
    const [left] = own!.leftOut;
    expect(left!.reason).toBe("from a cache (Age 7 s)");
    expect(own!.sent).toBe(own!.judged + left!.count);
    const screen = createScreen({ stream: { isTTY: false, columns: 4000, write: () => true }, env: {} });
    const summary = renderSummary({ ...buildSample().result, limits, findings }, screen);
    expect(summary).toContain(`${left!.count} answers came from a cache (Age 7 s): left out of policy ${own!.policy}`);
    expect(markupOf(renderLimits(limits))).toContain(`${left!.count} from a cache (Age 7 s)`);
  });
});

function dated(exchange: ReturnType<typeof makeExchange>, dateAtMs: number): ReturnType<typeof makeExchange> {
  const date = new Date(Date.UTC(2026, 10, 21, 9, 30) + dateAtMs).toUTCString();
  const headers = exchange.response!.headers.map(([name, value]) => [name, name === "date" ? date : value] as const);
  return { ...exchange, response: { ...exchange.response!, headers } };
}

describe("usage reports of a cache", () => {
  const judgeThrough = async (
    most: number,
    age: string | null,
    mutant: string | null,
    without: readonly string[] = [],
  ): Promise<{ readonly judged: ReturnType<typeof judgeLimits>; readonly given: number }> => {
    const cache = await startCache(false, { keeps: "/v1/usage", age, most });
    const one = mutant === null ? null : findSwitch(mutant);
    const { exchanges, manifest } = await recordSwitch("spend", one, { declare: cache.declare, mayEndEarly: true, without });
    return { judged: judgeLimits({ exchanges, manifest, strict: false }), given: cache.given() };
  };

  it.each([
    ["a stated age", "7", "from a cache (Age 7 s)"],
    ["the Date of an earlier one", null, "from a cache (Date and content of an earlier report)"],
  ])("that never end leave caps inconclusive by name: with %s", async (_, age, reason) => {
    for (const [mutant, without] of [
      [null, []],
      [null, ["spendB"]],
      ["spend/never-charged", ["spendB"]],
    ] as const) {
      const { judged, given } = await judgeThrough(Number.POSITIVE_INFINITY, age, mutant, without);
      const { policies, account } = judged.result;
      const caps = policies.find(({ kind }) => kind === "key-cap");
      expect(given).toBeGreaterThan(0);
      expect([mutant, caps?.verdict]).toEqual([mutant, "inconclusive"]);
      expect(caps?.summary).toMatch(/\d+ usage reports came from a cache/);
      expect(account?.flatMap(({ leftOut }) => leftOut.map((one) => one.reason))).toContain(reason);
    }
  });

  it.each([
    ["a stated age", "7"],
    ["the Date of an earlier one", null],
  ])("that end accuse no lawful service, and pass no wrong one: with %s", async (_, age) => {
    for (const most of [1, 2, 3]) {
      const lawful = await judgeThrough(most, age, null);
      expect(lawful.given).toBeGreaterThan(0);
      expect(lawful.judged.findings.filter(({ verdict }) => verdict === "fail").map(({ message }) => [most, message])).toEqual(
        [],
      );
      const wrong = await judgeThrough(most, age, "spend/never-charged");
      const verdicts = wrong.judged.result.policies.filter(({ kind }) => kind === "key-cap").map(({ verdict }) => verdict);
      expect([most, verdicts]).toEqual([most, [expect.stringMatching(/^(fail|inconclusive)$/)]]);
    }
  });

  it("are not those that say the same, as nothing was spent, or of a service whose clock stands still", () => {
    const report = (seq: number, sentMs: number, dateAtMs: number): ReturnType<typeof makeExchange> =>
      dated(makeExchange({ seq, sentMs, endpoint: "usage", received: { aggregate: { total_cost_usd: 1 } } }), dateAtMs);
    const other = (seq: number, sentMs: number, dateAtMs: number): ReturnType<typeof makeExchange> =>
      dated(makeExchange({ seq, sentMs, endpoint: "models", received: {} }), dateAtMs);
    expect([...findReplays([report(1, 0, 0), other(2, 3000, 3000), report(3, 5000, 0)])]).toEqual([
      [3, { kind: "same-report", of: 1 }],
    ]);
    expect(findReplays([report(1, 0, 0), other(2, 3000, 3000), report(3, 5000, 5000)]).size).toBe(0);
    expect(findReplays([report(1, 0, 0), other(2, 3000, 0), report(3, 5000, 0), other(4, 6000, 0)]).size).toBe(0);
  });
});

describe("an answer that is no answer to its request", () => {
  const chat = (seq: number, sentMs: number, id: string, dateAtMs: number): ReturnType<typeof makeExchange> =>
    dated(makeExchange({ seq, sentMs, endpoint: "chat", received: { id, object: "chat.completion" } }), dateAtMs);

  it("is one with Date and id of an earlier answer, asked for more than a second later", () => {
    const replays = findReplays([chat(1, 0, "a", 0), chat(2, 500, "a", 0), chat(3, 5000, "a", 0), chat(4, 5000, "b", 0)]);
    expect([...replays]).toEqual([[3, { kind: "repeated", of: 1 }]]);
    // Ids that a service uses twice are no sign of a cache while its clock moves.
    expect(findReplays([chat(1, 0, "a", 0), chat(2, 5000, "a", 5000)]).size).toBe(0);
  });

  it("leaves a request that may have been counted", () => {
    const { ops, replays } = readHistory([chat(1, 0, "a", 0), chat(2, 5000, "a", 0)], tolerancesFor(simulatedManifest(60)));
    expect(ops.map(({ outcome }) => outcome)).toEqual(["admitted", "maybe"]);
    expect(replays.size).toBe(1);
  });
});
