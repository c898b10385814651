import { describe, expect, it } from "vitest";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { sampleOf, sampleTitle } from "../../make/runner/sample.ts";
import { examineSwitch } from "../sockets/examine-switch.ts";

const ways = [
  [],
  ["limits/token-bucket"],
  ["limits/burst-below-limit"],
  ["tokens/estimate-reconciled", "limits/sliding-counter"],
];

/** A refusal of another kind, and a wait that is none, too short, in another unit or of another order. */
const reported = [
  ["tokens/status-400", "tokens.refusal-status"],
  ["tokens/retry-after-zero", "tokens.retry-after-too-short"],
  ["tokens/retry-after-milliseconds", "tokens.retry-after-too-long"],
  ["tokens/retry-after-hour-longer", "tokens.retry-after-too-long"],
] as const;

/** If some tokens are back after half of the wait, a smaller request would be served. */
const halved = [[], ["tokens/charged-after"], ["limits/fixed-first"]];

describe("refusals by the token limit, in the default exam of real time", () => {
  it.each(
    sampleOf(
      [
        ...ways.flatMap((variants) => reported.map(([id, check]) => [id, variants, check] as const)),
        ...halved.map((variants) => ["tokens/retry-after-short", variants, "tokens.retry-after-too-short"] as const),
      ],
      2,
    ),
  )(`%s of %j (${sampleTitle})`, async (id, variants, check) => {
    const { findings } = await examineSwitch("tokens", findSwitch(id), { time: "blind", variants });
    expect(findings.filter(({ verdict }) => verdict === "fail").map((finding) => finding.check)).toEqual([check]);
  });

  it.each(ways.map((variants) => [variants]))("are waited for in silence, and none of %j is accused", async (variants) => {
    const { findings, result } = await examineSwitch("tokens", null, { time: "blind", variants });
    expect(findings).toEqual([]);
    const checks = result.policies.flatMap((policy) => policy.checks);
    const own = checks.filter(({ id }) => /refusal-status|retry-after/.test(id));
    expect(own.map(({ verdict, considered }) => [verdict, considered > 0])).toEqual([
      ["pass", true],
      ["pass", true],
      ["pass", true],
    ]);
    expect(result.spent.minutes).toBeLessThan(2);
  });
});
