import { expect, it } from "vitest";
import { judgeAgents } from "../../../src/load/judge/judge-agents.ts";

const ceiling = { requestsPerSecond: 100, eventsPerSecond: 1000 };

it("knows nothing of the loop of an agent that was lost before it looked at it", () => {
  const facts = { name: "north", clock: null, ceiling, lost: "its connection to the broker ended" };
  const { agents, reasons } = judgeAgents([facts], []);
  expect(agents).toMatchObject([{ sent: 0, loopUtilization: null, loopDelayMaxMs: null }]);
  expect(reasons).toEqual(["agent lost: north: its connection to the broker ended"]);
});
