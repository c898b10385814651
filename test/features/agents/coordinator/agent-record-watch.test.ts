import { describe, expect, it } from "vitest";
import type { LoadRecord } from "../../../../src/load/samples/load-record.ts";
import { createAgentRecordWatch } from "../../../../src/features/agents/coordinator/agent-record-watch.ts";
import type { WorkOrder } from "../../../../src/load/workers/load-workers.ts";
import { manifestFor } from "../../../make/load/load-target.ts";
import { shortProfile } from "../../../make/load/run-against.ts";
import { agentProfile } from "../run-with-agents.ts";

function orderOf(hopeless: boolean): WorkOrder {
  const profile = shortProfile({
    ...agentProfile,
    arrivals: { kind: "constant", ratePerSecond: 50 },
    gates: ["error_rate < 10%"],
    abort: { hopeless },
  });
  return { profile, manifest: manifestFor("http://127.0.0.1:1"), seed: 1, trace: null } as WorkOrder;
}

const punctual = { isStalled: () => false, within: () => 0 };
const record = (outcome: LoadRecord["outcome"]): LoadRecord => ({ phase: "measure", endpoint: "chat", outcome }) as LoadRecord;

describe("records of all agents together", () => {
  it("end the profile as soon as a gate cannot be met, once, though no share misses as often alone", () => {
    const watch = createAgentRecordWatch(orderOf(true));
    // 100 are planned: chance explains up to 36 misses of a gate of 10 % where ten requests count as one. One of these answers is no miss.
    const said = Array.from({ length: 100 }, (_, index) => watch.judge(record(index === 4 ? "ok" : "server-error"), punctual));
    const kinds = said.map((reason) => reason?.kind ?? null);
    expect(kinds.filter((kind) => kind !== null)).toEqual(["hopeless"]);
    expect(kinds.indexOf("hopeless")).toBe(37);
    expect(said[37]?.words).toContain("37 requests missed it");
  });

  it("go on where the profile does not ask for it", () => {
    const watch = createAgentRecordWatch(orderOf(false));
    expect(
      Array.from({ length: 50 }, () => watch.judge(record("server-error"), punctual)).filter((reason) => reason !== null),
    ).toEqual([]);
  });

  it("end it when the coordinator would hold more than it may", () => {
    const watch = createAgentRecordWatch(orderOf(false), 3);
    const said = Array.from({ length: 5 }, () => watch.count()?.words ?? null);
    expect(said).toEqual([null, null, null, "the coordinator holds 3 records, the most that it may", null]);
  });
});
