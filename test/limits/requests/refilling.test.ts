import { describe, expect, it } from "vitest";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { sampleOf, sampleTitle } from "../../make/runner/sample.ts";
import { examineSwitch, type LimitArea } from "../sockets/examine-switch.ts";

/** The default exam of real time against limiters whose allowance comes back piece by piece. */
const bucket = ["limits/token-bucket"];
const small = ["limits/burst-below-limit"];

const reported: readonly (readonly [LimitArea, string, readonly string[], string])[] = [
  ["limits", "limits/lost-increments", bucket, "limits.lost-updates"],
  ["limits", "limits/streams-exempt", bucket, "limits.lost-updates"],
  ["limits", "limits/remaining-constant", bucket, "limits.lost-updates"],
  ["limits", "limits/third-per-instance", bucket, "limits.lost-updates"],
  ["limits", "limits/fast-refill", bucket, "limits.early-renewal"],
  ["limits", "limits/three-instances", small, "limits.lost-updates"],
  ["limits", "limits/ttl-refreshed", [], "limits.remaining-not-restored"],
  // If remaining does not count the request that shows it, the visits of the second key must find room as well.
  ["limits", "limits/ttl-refreshed", [...small, "limits/remaining-before"], "limits.remaining-not-restored"],
  ["limits", "limits/leaking-slots", [], "limits.remaining-not-restored"],
  ["limits", "limits/check-then-increment", small, "limits.over-admission"],
  ["limits", "limits/path-variant-bypass", ["limits/gcra"], "limits.path-bypass"],
  ["limits", "limits/counts-by-forwarded-address", ["limits/gcra"], "limits.identity-bypass"],
  ["limits", "limits/retry-after-milliseconds", ["limits/gcra"], "limits.retry-after-too-long"],
  ["limits", "limits/remaining-negative", [...small, "limits/remaining-before"], "limits.remaining-range"],
  ["limits", "limits/over-admit-one", bucket, "limits.lost-updates"],
  ["limits", "limits/over-admit-one", [...small, "limits/remaining-before"], "limits.lost-updates"],
  ["limits", "limits/remaining-too-high-near-zero", ["limits/gcra"], "limits.lost-updates"],
  ["limits", "limits/remaining-on-reject", bucket, "limits.remaining-on-refusal"],
  ["limits", "limits/remaining-on-reject", [...small, "limits/remaining-before"], "limits.remaining-on-refusal"],
  ["limits", "limits/window-too-short", bucket, "limits.over-admission"],
  ["limits", "limits/window-too-short", small, "limits.over-admission"],
  ["limits", "limits/lost-increments", [...small, "limits/remaining-before"], "limits.over-admission"],
  ["limits", "limits/retry-after-zero", [...bucket, "limits/retry-after-date"], "limits.retry-after-too-short"],
  ["limits", "limits/slow-refill", [...bucket, "limits/retry-after-date"], "limits.retry-after-too-short"],
  ["limits", "limits/streams-exempt", [...small, "limits/remaining-before"], "limits.lost-updates"],
  ["tokens", "tokens/streams-free", small, "tokens.wrong-charge"],
  ["tokens", "tokens/estimate-kept", small, "tokens.wrong-charge"],
  ["tokens", "tokens/streams-free", bucket, "tokens.wrong-charge"],
  ["tokens", "tokens/embeddings-free", bucket, "tokens.wrong-charge"],
  ["tokens", "tokens/prompt-only", bucket, "tokens.wrong-charge"],
  ["tokens", "tokens/estimate-kept", bucket, "tokens.wrong-charge"],
  ["tokens", "tokens/completion-only", small, "tokens.wrong-charge"],
  ["tokens", "tokens/double", small, "tokens.wrong-charge"],
  ["tokens", "tokens/not-enforced", small, "tokens.over-admission"],
];

describe("what refills is judged by its average rate and its smallest refill", () => {
  it.each(sampleOf(reported, 4))(`%s: %s of %j (${sampleTitle})`, async (area, id, variants, check) => {
    const { findings } = await examineSwitch(area, findSwitch(id), { time: "blind", variants });
    expect(findings.filter(({ verdict }) => verdict === "fail").map((finding) => finding.check)).toContain(check);
  });

  const lawful: readonly (readonly [LimitArea, readonly string[]])[] = [
    ["limits", ["limits/gcra", "limits/remaining-late-read"]],
    ["limits", [...bucket, "limits/retry-after-date"]],
    ["limits", ["limits/batch-refill", "limits/remaining-before"]],
    ["tokens", bucket],
    ["tokens", small],
    ["tokens", ["limits/batch-refill", "tokens/estimate-reconciled"]],
  ];
  it.each(sampleOf(lawful, 2))(`%s: accuses no lawful %j (${sampleTitle})`, async (area, variants) => {
    const { findings } = await examineSwitch(area, null, { time: "blind", variants });
    expect(findings.map(({ message }) => message)).toEqual([]);
  });
});

describe("a wait that is cut to whole seconds", () => {
  it.each([2, 3])("misses the end of a window that began with its first request (seed %i)", async (seed) => {
    const variants = ["limits/fixed-first", "limits/retry-after-header-only"];
    const { findings } = await examineSwitch("limits", findSwitch("limits/retry-after-floor"), { time: "blind", variants, seed });
    expect(findings.map(({ check }) => check)).toContain("limits.retry-after-too-short");
  });
});

describe("simultaneous requests to what refills", () => {
  it.each([[bucket], [small], [["limits/gcra"]]])(
    "are known to be counted one by one where an order explains all of %j, which is not accused",
    async (variants) => {
      const { findings, result, occurrences } = await examineSwitch("limits", null, { time: "blind", variants });
      expect(findings.map(({ message }) => message)).toEqual([]);
      expect(result.policies.map(({ tier }) => tier)).toEqual(["consistent"]);
      const rows = occurrences.filter(({ requirement }) => requirement === "RATE-039");
      expect(rows.map(({ outcome }) => outcome)).toEqual(["pass"]);
    },
  );

  it("are not where they are not", async () => {
    const mutant = findSwitch("limits/bucket-read-modify-write");
    const { occurrences } = await examineSwitch("limits", mutant, { time: "blind", variants: bucket });
    const rows = occurrences.filter(({ requirement }) => requirement === "RATE-039");
    expect(rows.map(({ outcome }) => outcome)).not.toContain("pass");
  });
});
