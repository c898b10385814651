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

/** A cache before a service, which keeps what was asked for by the same key in the same words; `obeys`: not where a client asks it not to. */
async function startCache(obeys: boolean): Promise<Cache> {
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
        outgoing.writeHead(known.status, { ...known.headers, age: "7" }).end(known.body);
        return;
      }
      const { hostname, port } = upstream;
      const behind = request({ hostname, port, path, method, headers, agent }, (answer) => {
        const received: Buffer[] = [];
        answer.on("data", (part: Buffer) => void received.push(part));
        answer.on("end", () => {
          const body = Buffer.concat(received);
          const status = answer.statusCode ?? 502;
          if (status === 200) kept.set(name, { status, headers: answer.headers, body, left: servedByOne });
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

describe("an answer that is no answer to its request", () => {
  const dated = (seq: number, sentMs: number, id: string, dateAtMs: number): ReturnType<typeof makeExchange> => {
    const exchange = makeExchange({ seq, sentMs, endpoint: "chat", received: { id, object: "chat.completion" } });
    const date = new Date(Date.UTC(2026, 10, 21, 9, 30) + dateAtMs).toUTCString();
    const headers = exchange.response!.headers.map(([name, value]) => [name, name === "date" ? date : value] as const);
    return { ...exchange, response: { ...exchange.response!, headers } };
  };

  it("is one with Date and id of an earlier answer, asked for more than a second later", () => {
    const replays = findReplays([dated(1, 0, "a", 0), dated(2, 500, "a", 0), dated(3, 5000, "a", 0), dated(4, 5000, "b", 0)]);
    expect([...replays]).toEqual([[3, { kind: "repeated", of: 1 }]]);
    // Ids that a service uses twice are no sign of a cache while its clock moves.
    expect(findReplays([dated(1, 0, "a", 0), dated(2, 5000, "a", 5000)]).size).toBe(0);
  });

  it("leaves a request that may have been counted", () => {
    const { ops, replays } = readHistory([dated(1, 0, "a", 0), dated(2, 5000, "a", 0)], tolerancesFor(simulatedManifest(60)));
    expect(ops.map(({ outcome }) => outcome)).toEqual(["admitted", "maybe"]);
    expect(replays.size).toBe(1);
  });
});
