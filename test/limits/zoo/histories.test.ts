import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { judgeLimits, type LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";
import { peerManifest } from "../peers/examine-peer.ts";
import { expandHistory, type CompactHistory } from "./compact-history.ts";

/**
 * The records of the default exam of limiters of other ecosystems in real time (bench/limits/zoo.ts), judged again on Node
 * alone. The table of docs/measurements/limits.md states them all.
 */
const histories = readFileSync(new URL("histories.ndjson", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as CompactHistory);
const lawful = histories.filter(({ truth }) => truth === "lawful");
const broken = histories.filter(({ truth }) => truth !== "lawful");

/** The setups for which the default exam reports advisories alone, with the reason. */
const advised: Readonly<Record<string, string>> = {
  "express store of 29":
    "a refusal that shows one remaining may round up a fraction; two silent windows, in the full exam, prove it",
  "rate-limiter-flexible, clocks 5 s apart":
    "clocks that differ are the cause of wrong resets and break no promise by themselves",
};

function judge(history: CompactHistory): LimitsJudgement {
  const manifest = peerManifest({ limit: 30, windowMs: 60_000 }, "http://127.0.0.1");
  return judgeLimits({ exchanges: expandHistory(history), manifest, strict: false });
}

describe("recorded exams of limiters of other ecosystems", () => {
  it.each(lawful.map((history) => [history.id, history] as const))("do not accuse %s", (_id, history) => {
    const { result, findings } = judge(history);
    expect(findings.filter(({ verdict }) => verdict === "fail").map(({ message }) => message)).toEqual([]);
    const [policy] = result.policies;
    // If requests of a volley were never answered, nothing was refuted, and no pass is given either.
    const isAnswered = history.rows.every(([, , , , , status]) => status !== null);
    expect(policy?.tier).toMatch(isAnswered ? /^(consistent|unrefuted)$/ : /^inconclusive$/);
    expect(policy!.identification!.survivors.map(({ family }) => family)).toContain(history.family);
  });

  it.each(broken.map((history) => [history.id, history.truth, history] as const))("tell %s: %s", (id, _truth, history) => {
    const { findings } = judge(history);
    expect(findings.length).toBeGreaterThan(0);
    expect(findings.some(({ verdict }) => verdict === "fail")).toBe(!(id in advised));
  });
});
