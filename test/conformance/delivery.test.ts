import { openJudgeContext } from "../../src/run/judge-context.ts";
import { describe, expect, it } from "vitest";
import { judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { eventStream } from "../../src/conformance/judges/stream/event-stream.ts";
import { type Examined, examineReference } from "./examine-reference.ts";

/** The recorded stream with events that arrive at these instants after the request. */
function timed(exchange: Exchange, atMs: (index: number) => number, endMs: number): Exchange {
  const stream = exchange.response!.stream!;
  const { sentMs } = exchange.timing;
  const events = stream.events.map((event, index) => ({
    ...event,
    atMs: sentMs + atMs(index),
    earliestMs: sentMs + atMs(index),
  }));
  return {
    ...exchange,
    timing: { ...exchange.timing, endMs: sentMs + endMs },
    response: { ...exchange.response!, stream: { ...stream, events } },
  };
}

describe("incremental delivery of a stream", () => {
  it("distinguishes a buffered answer from one that comes as it is made, and says nothing of fast ones", async () => {
    const examined: Examined = await examineReference({ suites: ["stream"] });
    const long = examined.exchanges.find((one) => one.label === "long-stream")!;
    const context = openJudgeContext(examined.manifest);
    const outcome = (exchange: Exchange): string | undefined =>
      judgeExchanges([exchange], [eventStream], context).find((one) => one.requirement === "STRM-008")?.outcome;
    expect(outcome(timed(long, (index) => 200 + index * 10, 4000))).toBe("pass");
    expect(outcome(timed(long, (index) => 3990 + index * 0.01, 4000))).toBe("fail");
    expect(outcome(timed(long, (index) => 90 + index * 0.01, 100))).toBeUndefined();
  });
});
