import { expect, it } from "vitest";
import type { LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";
import { perGroup } from "../simulation/lawful-limiters.ts";
import { examine, simulatedManifest } from "../simulation/exam.ts";
import { type Limiter, serveRequests } from "../simulation/request-service.ts";
import { quietNetwork } from "../simulation/simulator.ts";

/** `count` requests in any span of `spanMs`; the fields state what it makes of a minute, and count down from that. */
function spanLimiter(stated: number, count: number, spanMs: number): Limiter {
  const stateOf = perGroup((): { minute: number; used: number; recent: number[] } => ({ minute: 0, used: 0, recent: [] }));
  return (context, group, decide) => {
    const now = context.now();
    const state = stateOf(group, now);
    const minute = Math.floor(now / 60_000);
    if (minute !== state.minute) Object.assign(state, { minute, used: 0 });
    state.recent = state.recent.filter((atMs) => atMs > now - spanMs);
    const admitted = state.recent.length < count && state.used < stated;
    if (admitted) {
      state.recent.push(now);
      state.used += 1;
    }
    const resetMs = (minute + 1) * 60_000;
    const retryMs = state.used >= stated ? resetMs - now : (state.recent[0] ?? now) + spanMs - now;
    decide({ admitted, limit: stated, remaining: stated - state.used, resetMs, retryMs });
  };
}

/**
 * The fields state what a minute of the clock leaves of `stated`, and `count` are let in within windows of a minute that begin `aheadMs` later:
 * each refusal names the end of the limit that refused.
 */
function besideMinutes(stated: number, count: number, aheadMs: number): Limiter {
  const stateOf = perGroup((): { minute: number; used: number; other: number; taken: number } => ({
    minute: 0,
    used: 0,
    other: 0,
    taken: 0,
  }));
  return (context, group, decide) => {
    const now = context.now();
    const state = stateOf(group, now);
    const [minute, other] = [Math.floor(now / 60_000), Math.floor((now - aheadMs) / 60_000)];
    if (minute !== state.minute) Object.assign(state, { minute, used: 0 });
    if (other !== state.other) Object.assign(state, { other, taken: 0 });
    const admitted = state.taken < count && state.used < stated;
    if (admitted) {
      state.used += 1;
      state.taken += 1;
    }
    const resetMs = (minute + 1) * 60_000;
    const retryMs = (state.used >= stated ? resetMs : (other + 1) * 60_000 + aheadMs) - now;
    decide({ admitted, limit: stated, remaining: stated - state.used, resetMs, retryMs });
  };
}

/** Each exam has a limiter of its own. */
async function judge(create: () => Limiter, onewayMs: number): Promise<readonly LimitsJudgement[]> {
  const base = simulatedManifest(60, { restore: { keys: {}, account: null }, control: null });
  const manifest = { ...base, limits: { ...base.limits, requestsPerMinute: null } };
  const network = { ...quietNetwork, onewayMs };
  return Promise.all([1, 2, 3].map((seed) => examine({ seed, service: serveRequests(create()), network, manifest })));
}

function warningsIn(judged: readonly LimitsJudgement[]): readonly string[] {
  return judged.flatMap(({ findings }) =>
    findings.filter(({ check }) => check === "limits.limit-unreachable").map(({ message }) => message),
  );
}

it.each([
  ["600 in a minute, as one in 100 ms", () => spanLimiter(600, 1, 100)],
  ["60 in a minute, as one in a second", () => spanLimiter(60, 1, 1000)],
  ["60 in a minute, as ten in ten seconds", () => spanLimiter(60, 10, 10_000)],
  ["90 in a minute, as thirty in twenty seconds", () => spanLimiter(90, 30, 20_000)],
])("a limit that is enforced evenly is within reach, however slow the way to it is: %s", async (_, limiter) => {
  expect(warningsIn([...(await judge(limiter, 1)), ...(await judge(limiter, 80))])).toEqual([]);
});

it.each([
  ["40 of 60", 60, 40],
  ["50 of 60", 60, 50],
  ["400 of 600", 600, 400],
])("a limit that windows of the same minutes never let be used up is out of reach: %s", async (_, stated, count) => {
  const judged = await judge(() => besideMinutes(stated, count, 0), 1);
  for (const { result, findings } of judged) {
    const drained = result.policies.find(({ id }) => id === "requests/primary/models");
    const warnings = drained!.checks.filter(({ id }) => id === "limits.limit-unreachable");
    expect(warnings.map(({ verdict }) => verdict)).toEqual(["advisory"]);
    // Requests about the end of a window may belong to it.
    const most = Number(/gets at most (\d+) requests through in 60 s/.exec(warnings[0]!.message)![1]);
    expect([most >= count, most < stated]).toEqual([true, true]);
    // One cause, one finding; no check stands twice in a policy.
    expect(findings.map(({ check }) => check)).toEqual(["limits.limit-unreachable"]);
    const ids = drained!.checks.map(({ id }) => id).filter((id) => !id.endsWith("share-counter"));
    expect(new Set(ids).size).toBe(ids.length);
  }
});

it.each([
  ["windows that begin later", () => besideMinutes(60, 40, 20_000)],
  ["a log", () => spanLimiter(60, 40, 60_000)],
])("a limit beside another one of a minute may be within reach across its windows: %s", async (_, limiter) => {
  expect(warningsIn(await judge(limiter, 1))).toEqual([]);
});

it("a limit of which the enforced one lets a quarter in is out of reach, and what was open stays open", async () => {
  const judged = await judge(() => spanLimiter(600, 50, 20_000), 1);
  expect(warningsIn(judged)[0]).toContain("the stated limit of 600 is out of reach");
  const open = judged.flatMap(({ result }) => result.policies).filter(({ tier }) => tier === "inconclusive");
  const warned = open.filter(({ checks }) => checks.some(({ verdict }) => verdict === "advisory"));
  expect(new Set(warned.map(({ id, verdict }) => `${id} ${verdict}`))).toEqual(new Set(["requests/primary/models inconclusive"]));
  // The warning decides no row: the doubt about the waits remains.
  const outcomes = judged.flatMap(({ occurrences }) => occurrences.filter(({ kind }) => kind === "limits.limit-unreachable"));
  expect(outcomes.filter(({ outcome }) => outcome === "advisory")).toEqual([]);
});
