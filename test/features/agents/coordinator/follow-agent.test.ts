import { describe, expect, it } from "vitest";
import { createAgentRecordWatch } from "../../../../src/features/agents/coordinator/agent-record-watch.ts";
import { FollowedAgent } from "../../../../src/features/agents/coordinator/follow-agent.ts";
import { createOutbox } from "../../../../src/features/agents/messages/outbox.ts";
import { createRecordLog, writeLine } from "../../../../src/load/ledger/record-log.ts";
import type { EarlyEnd } from "../../../../src/load/samples/early-end.ts";
import type { LoadRecord } from "../../../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../../../src/load/samples/unanswered-record.ts";
import type { WorkOrder } from "../../../../src/load/workers/load-workers.ts";
import { context } from "../../../make/load/exchange-fixture.ts";
import { manifestFor } from "../../../make/load/load-target.ts";
import { shortProfile } from "../../../make/load/run-against.ts";
import { cardOf } from "../agent-card-fixture.ts";
import { agentProfile } from "../run-with-agents.ts";

const baseUrl = "http://127.0.0.1:1";
const startMs = 5000;

/**
 * The reasons to stop that the coordinator finds in the reports of one agent over ten seconds: fifty answers a second, each read after
 * 120 ms, and a loop that was this late in each second.
 */
function stopsOf(lateMs: (second: number) => number, gate = "user_latency.p90 < 100ms"): readonly EarlyEnd[] {
  const profile = shortProfile({
    ...agentProfile,
    arrivals: { kind: "constant", ratePerSecond: 50 },
    durationSeconds: 10,
    gates: [gate],
    abort: { hopeless: true },
  });
  const order = { profile, manifest: manifestFor(baseUrl), seed: 1, trace: null } as WorkOrder;
  const watch = createAgentRecordWatch(order);
  const stops: EarlyEnd[] = [];
  const stop = (reason: EarlyEnd | null): void => {
    if (reason !== null) stops.push(reason);
  };
  const nothing = (): void => {};
  const agent = new FollowedAgent({
    agent: 0,
    card: cardOf("one", baseUrl),
    profile,
    ledger: undefined,
    on: {
      ready: nothing,
      refused: nothing,
      progress: nothing,
      exchange: nothing,
      op: nothing,
      passive: nothing,
      record: () => stop(watch.count()),
      judged: (record, stalls) => stop(watch.judge(record, stalls)),
      rateReady: nothing,
      rateProbed: nothing,
      sent: nothing,
      measured: nothing,
      lost: (reason) => {
        throw new Error(reason);
      },
    },
  });
  const outbox = createOutbox({ send: (chunk) => agent.take("token", chunk), mostBytes: Infinity });
  const sink = (json: string): void => void outbox.post(JSON.stringify([{ kind: "ledger", json }]));
  writeLine(sink, { kind: "start", loop: 0, startMs, fromMs: startMs });
  const log = createRecordLog(0, sink);
  for (let second = 0; second < 10; second += 1) {
    for (let place = 0; place < 50; place += 1) log.add(answer(startMs + 1000 * second + 20 * place));
    log.health({ second, loopUtilization: 0.1, loopDelayMaxMs: lateMs(second), runDelayMs: 0 });
    log.flush();
  }
  return stops;
}

function answer(sentMs: number): LoadRecord {
  const endMs = sentMs + 120;
  const record = givenUpRecord({ ...context, intendedMs: sentMs, issuedMs: sentMs }, sentMs);
  return { ...record, status: 200, outcome: "ok", headersMs: endMs, firstByteMs: endMs, answeredMs: endMs, endMs };
}

describe("records of an agent", () => {
  it("end no profile for times that lateness of its machine explains", () => {
    expect(stopsOf(() => 60)).toEqual([]);
    expect(stopsOf(() => 3).map(({ kind }) => kind)).toEqual(["hopeless"]);
    expect(stopsOf(() => 60, "user_latency.p90 < 50ms").map(({ kind }) => kind)).toEqual(["hopeless"]);
  });

  it("wait for the second after their end, in which a delay may be noticed", () => {
    // A third of them end in a second of which the next one alone was late.
    expect(stopsOf((second) => (second % 3 === 2 ? 60 : 3))).toEqual([]);
  });
});
