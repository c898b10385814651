import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { LoadProfileResult } from "../../src/core/result/load-result.ts";
import { chunkEvent } from "../make/load/load-target.ts";
import { runAgainst } from "../make/load/run-against.ts";

const answer = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "ok ok ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
});

/** So many chunks of a text, so far apart, after a silence; then usage, if there is any. */
interface Words {
  readonly silenceMs: number;
  readonly chunks: number;
  readonly gapMs: number;
  readonly text: string;
  readonly usage?: object;
}

async function streamOf({ silenceMs, chunks, gapMs, text, usage }: Words, response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunkEvent({ role: "assistant", content: "" }));
  await pause(silenceMs);
  for (let at = 0; at < chunks; at += 1) {
    if (at > 0) await pause(gapMs);
    response.write(chunkEvent({ content: text }));
  }
  response.write(chunkEvent({}, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
  if (usage !== undefined) response.write(chunkEvent({}, { choices: [], usage }));
  response.end("data: [DONE]\n\n");
}

async function perToken(words: Words, gates: readonly string[]): Promise<LoadProfileResult> {
  return runAgainst((_, response) => void streamOf(words, response), {
    arrivals: { kind: "constant", ratePerSecond: 30 },
    durationSeconds: 3,
    workload: [{ endpoint: "chat", promptTokens: 16, outputTokens: 64 }],
    slo: { ttftMs: 60_000, tpotMs: 30, userLatencyMs: 60_000 },
    gates,
  });
}

/** Other work of this machine makes times longer and rates lower: only the side that it cannot reach is asked for. */
describe("a server whose truth is known", () => {
  it("in a closed loop has at most the rate of the requests in flight over the time of one", async () => {
    const result = await runAgainst(
      (_, response) => void setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end(answer), 300),
      {
        arrivals: { kind: "closed", concurrency: 10 },
        durationSeconds: 1,
        workload: [{ endpoint: "chat", stream: false, promptTokens: 16, outputTokens: 20 }],
        gates: ["ok_rate < 36"],
      },
    );
    expect(result.rates.ok).toBeGreaterThan(0);
    expect(result.rates.ok).toBeLessThan(34);
    expect(result.gates[0]?.verdict).not.toBe("fail");
  });

  it("that sends five words a chunk and no usage is not judged by time per token", async () => {
    const words = { silenceMs: 20, chunks: 10, gapMs: 50, text: "one two three four five " };
    const result = await perToken(words, ["tpot.p50 < 15ms", "goodput > 0.9"]);
    expect(result.gates.map(({ verdict, doubt }) => [verdict, doubt])).toEqual([
      ["inconclusive", "estimate"],
      ["inconclusive", "estimate"],
    ]);
  });

  it("that counts tokens which it never sent has the time of those that arrived", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 220, completion_tokens_details: { reasoning_tokens: 200 } };
    const words = { silenceMs: 100, chunks: 20, gapMs: 20, text: "w0 ", usage };
    const { gates } = await perToken(words, ["tpot.p50 < 15ms", "tpot.p50 < 60s"]);
    expect(gates[0]?.observed).toBeGreaterThan(15);
    expect([gates[0]?.verdict === "pass", gates[1]?.verdict]).toEqual([false, "pass"]);
  });
});
