import { describe, expect, it } from "vitest";
import { answerFailure } from "../../../src/core/exchange/answer-failure.ts";
import { runAgainst } from "../../make/load/run-against.ts";
import { chunkEvent } from "../../make/load/load-target.ts";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { readHistory } from "../../../src/limits/history/history.ts";
import { tolerancesFor } from "../../../src/limits/history/tolerances.ts";
import { testManifest } from "../../make/test-manifest.ts";

const content = chunkEvent({ content: "a" });
const usual = `${content}data: [DONE]\n\n`;

const bodies: Readonly<Record<string, readonly [string, string, ReturnType<typeof answerFailure>]>> = {
  "an answer": ["application/json", '{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"error":null}', null],
  "an error object": ["application/json", '{"error":{"message":"Provider returned error","code":502}}', "error"],
  "an error as a text": ["application/json", '{"error":"overloaded"}', "error"],
  "an error in its choice": ["application/json", '{"choices":[{"finish_reason":"error","error":{"code":502}}]}', "error"],
  "a whole stream": ["text/event-stream", usual, null],
  "a stream with an error object": ["text/event-stream", `${content}data: {"error":{"code":502}}\n\ndata: [DONE]\n\n`, "error"],
  "a stream with an error as a field": ["text/event-stream", `${content}error: {"code":502}\n\ndata: [DONE]\n\n`, "error"],
  "a stream with an error event": [
    "text/event-stream",
    `${content}event: error\ndata: {"code":502}\n\ndata: [DONE]\n\n`,
    "error",
  ],
  "a stream that does not say that it is over": ["text/event-stream", content, "unfinished"],
  "a stream whose events have a form of their own": [
    "text/event-stream",
    'event: word\ndata: {"w":"a"}\n\nevent: end\ndata: {}\n\n',
    null,
  ],
  "a stream of one event in a form of its own": ["text/event-stream", 'data: {"text":"a"}\n\n', null],
  "a stream of texts": ["text/event-stream", "data: Hello\n\ndata: [END]\n\n", null],
  "a stream in a form of its own that ends with [DONE]": ["text/event-stream", 'data: {"text":"a"}\n\ndata: [DONE]\n\n', null],
  "a stream with a marker after its finish reason": [
    "text/event-stream",
    `${content}data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [END]\n\n`,
    null,
  ],
  "a stream of one error": ["text/event-stream", 'data: {"type":"error","message":"overloaded"}\n\n', "error"],
  "a stream with data that is no JSON": ["text/event-stream", `data: hello\n\n${usual}`, "malformed"],
  "a stream of nothing": ["text/event-stream", ": nothing\n\n", "empty"],
};

describe("a 200 that holds", () => {
  it.each(Object.entries(bodies))("%s is read alike by load and by limits", async (_, [type, body, expected]) => {
    const exchanges: Exchange[] = [];
    const result = await runAgainst(
      (_request, response) => void response.writeHead(200, { "content-type": type }).end(body),
      {
        abort: { errorRate: 1 },
        durationSeconds: 1,
        arrivals: { kind: "constant", ratePerSecond: 6 },
        gates: ["errors < 6"],
      },
      { onExchange: (exchange) => exchanges.push(exchange) },
    );
    const answers = exchanges.filter(({ intent }) => intent.kind === "load");
    expect(answers.map((exchange) => answerFailure(factsOf(exchange)))).toEqual(answers.map(() => expected));
    const failed = expected === null ? 0 : 6;
    expect([result.outcomes.ok ?? 0, result.outcomes["server-error"] ?? 0]).toEqual([6 - failed, failed]);
    expect(result.gates[0]?.verdict === "fail").toBe(expected !== null);
    // Times of a failure join those of no success.
    expect(result.distributions.filter(({ outcome, metric }) => outcome === "ok" && metric === "user-latency")).toHaveLength(
      expected === null ? 1 : 0,
    );
    // A limiter may have counted what failed, or not.
    const { ops } = readHistory(answers, tolerancesFor(testManifest("http://127.0.0.1:1")));
    expect(new Set(ops.map(({ outcome }) => outcome))).toEqual(new Set([expected === "error" ? "maybe" : "admitted"]));
  });
});
