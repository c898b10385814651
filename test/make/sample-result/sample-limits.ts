import type {
  LimitCheckResult,
  LimitPolicyResult,
  LimitsResult,
  LimitTimeline,
  LimitTimelineOp,
} from "../../../src/core/result/limits-result.ts";
import type { LimitCheckId } from "../../../src/core/result/checks/limit-check.ts";
import type { LimitPhase } from "../../../src/core/exchange/limit-phase.ts";
import type { Random } from "../../../src/core/random.ts";

/** Sequence numbers of the sample's limit stage start here. */
const firstSeq = 100;

export function sampleLimits(random: Random): LimitsResult {
  return {
    verdict: "fail",
    policies: [requestsPolicy(random.fork("requests")), burstPolicy(random.fork("burst")), keyCapPolicy()],
    spent: { requests: 402, minutes: 6.2, cents: 31 },
    notJudged: [
      { policy: "account cap", reason: "no-fixture: no key named admin in the manifest" },
      { policy: "queue", reason: "no-fixture: no key named queue in the manifest" },
    ],
  };
}

/** Fixed windows of 60 s, limit 60; a race lets 63 into the second one, and Retry-After comes short once. */
function requestsPolicy(random: Random): LimitPolicyResult {
  const limit = 60;
  const ops: LimitTimelineOp[] = [];
  const windows: LimitTimeline["windows"][number][] = [];
  const retryAfter: LimitTimeline["retryAfter"][number][] = [];
  const feasible: LimitTimeline["feasible"][number][] = [];
  let seq = firstSeq;
  for (let window = 0; window < 4; window += 1) {
    const fromMs = 4_000 + window * 60_000;
    const toMs = fromMs + 60_000;
    const admitted = window === 1 ? 63 : window === 2 ? 38 : limit;
    const startMs = fromMs + (window === 3 ? 30_000 : 600);
    const spreadMs = window === 1 ? 9_000 : window === 2 ? 44_000 : 22_000;
    for (let index = 0; index < admitted; index += 1) {
      const racing = window === 1 && index >= 54;
      const sentMs = racing
        ? startMs + spreadMs + random.next() * 4
        : startMs + (index * spreadMs) / admitted + random.next() * 40;
      const remaining = Math.max(0, limit - index - 1);
      const headersMs = sentMs + 18 + random.next() * (racing ? 60 : 35);
      const findings = racing && index >= 57 ? ["F003"] : [];
      const shown = { endpoint: "models", limit, remaining, resetMs: toMs, findings } as const;
      ops.push(op(seq++, racing ? "N" : "D", "admitted", [sentMs, headersMs], shown));
      feasible.push({ atMs: sentMs, low: Math.max(0, limit - index - 3), high: Math.max(0, limit - index) });
    }
    const rejects = window === 2 ? 0 : 9;
    for (let index = 0; index < rejects; index += 1) {
      const sentMs = startMs + spreadMs + 900 + index * 1_700;
      const promisedMs = window === 1 && index === 4 ? sentMs + 6_000 : toMs + 400;
      const findings = window === 1 && index === 4 ? ["F005"] : [];
      const shown = { endpoint: "models", limit, resetMs: toMs, findings } as const;
      ops.push(op(seq, "E", "rejected", [sentMs, sentMs + 12 + random.next() * 10], shown));
      if (promisedMs < 240_000) {
        retryAfter.push({
          seq,
          atMs: sentMs,
          promisedMs,
          admittedMs: toMs + 620,
          headerSeconds: Math.round((promisedMs - sentMs) / 1000),
          bodySeconds: Math.round((promisedMs - sentMs) / 1000) + (index === 6 ? 3 : 0),
          bodyMs: null,
        });
      }
      seq += 1;
    }
    windows.push({
      fromMs,
      toMs,
      limit,
      certain: window === 1 ? 63 : admitted,
      possible: window === 1 ? 63 : admitted + (window === 0 ? 2 : 0),
    });
  }
  const silent = { endpoint: "models", status: null, limit: null, remaining: null, resetMs: null } as const;
  ops.push(op(seq++, "E", "other", [150_000, null], silent));
  return {
    id: "requests-models",
    title: "Requests per minute, GET /v1/models",
    kind: "requests",
    key: "primary",
    endpoint: "models",
    declared: { limit, windowSeconds: 60, cooldownSeconds: null, capCents: null, algorithm: null },
    verdict: "fail",
    tier: "violation",
    drivenBy: "exam",
    summary: "At least 63 requests were admitted in a window that was declared to hold 60.",
    checks: [
      check(
        "limits.over-admission",
        "Admissions within the limit",
        "fail",
        "63 requests were certainly admitted inside window 2, declared 60.",
        ["F003"],
        {
          kind: "over-admission",
          rule: "no 61 requests whose closed intervals lie inside one declared window may all be admitted",
          spec: "Limits > Rate limits",
          ops: ops
            .filter((op) => op.findings.includes("F003"))
            .map((op) => ({
              seq: op.seq,
              sentMs: op.sentMs,
              headersMs: op.headersMs,
              status: op.status,
              remaining: op.remaining,
              resetSeconds: 1_763_700_064,
              retryAfterSeconds: null,
            })),
          parameters: { limit, windowSeconds: 60, granularityMs: 1000 },
          lawfulAlternative: "429 for the last three",
        },
      ),
      check(
        "limits.lost-updates",
        "remaining counts every admission",
        "fail",
        "Nine concurrent admissions lowered remaining by six.",
        ["F003"],
      ),
      check(
        "limits.retry-after-too-short",
        "Retry-After is long enough",
        "fail",
        "The client waited the 6 s it was reported and was rejected again.",
        ["F005"],
      ),
      check("limits.reset-format", "Reset is in Unix seconds", "pass", "All 218 labels are Unix seconds."),
      check(
        "limits.endpoints-share-counter",
        "Endpoints have limits of their own",
        "pass",
        "Draining models left chat untouched.",
      ),
      {
        ...check("limits.under-admission", "No early rejects", "inconclusive", "Other traffic on the key cannot be ruled out."),
        considered: 3,
        needed: 8,
      },
    ],
    identification: {
      survivors: [
        { family: "fixed window, aligned", parameters: { limit: 60, windowSeconds: 60, rejectsConsume: false }, witness: true },
        { family: "fixed window from the first request", parameters: { limit: 60, windowSeconds: 60 }, witness: false },
      ],
      refuted: [
        { family: "token bucket", because: "nothing refilled in a pause of 12 s", certificate: null },
        { family: "sliding log", because: "the allowance came back at once, not request by request", certificate: null },
        { family: "GCRA", because: "a burst of 60 was admitted within 9 s", certificate: null },
      ],
      nearest: "fixed window, aligned",
      nextProbe: "one request 200 ms after a minute boundary in an idle window",
    },
    tolerances: { granularityMs: 1000, clockSkewMs: 1000, driftPpm: 500 },
    timeline: { ops, windows, feasible, cooldowns: [], retryAfter, spend: [] },
  };
}

function burstPolicy(random: Random): LimitPolicyResult {
  const ops: LimitTimelineOp[] = [];
  for (let index = 0; index < 13; index += 1) {
    const sentMs = 262_000 + index * 3 + random.next() * 2;
    const admitted = index < 10;
    const lane = admitted ? "admitted" : "rejected";
    ops.push(op(480 + index, "volley", lane, [sentMs, sentMs + 90 + random.next() * 60], { remaining: 590 - index }));
  }
  for (const [index, afterMs] of [5_000, 11_000, 17_000, 27_500].entries()) {
    const shown = { endpoint: index === 2 ? "models" : "chat", remaining: 589 - index } as const;
    ops.push(op(500 + index, "cooldown", "rejected", [262_000 + afterMs, 262_000 + afterMs + 15], shown));
  }
  ops.push(op(510, "cooldown", "queued", [286_000, 292_300], { remaining: 580 }));
  ops.push(op(511, "after", "admitted", [293_500, 293_640], { remaining: 579 }));
  return {
    id: "burst-chat",
    title: "Burst of 10 per minute, then 30 s of cooldown",
    kind: "burst",
    key: "lowLimit",
    endpoint: null,
    declared: { limit: 10, windowSeconds: 60, cooldownSeconds: 30, capCents: null, algorithm: null },
    verdict: "pass",
    tier: "consistent",
    drivenBy: "exam",
    summary: "The key admitted its burst of 10, cooled down for 30 s on every endpoint and came back in time.",
    checks: [
      check("burst.over-admission", "Nothing is admitted in the cooldown", "pass", "Four probes in the cooldown were rejected."),
      check("burst.cooldown-too-long", "The cooldown ends", "pass", "First admission 1.4 s after the promised end."),
    ],
    identification: null,
    tolerances: { granularityMs: 1000 },
    timeline: {
      ops,
      windows: [{ fromMs: 262_000, toMs: 322_000, limit: 10, certain: 10, possible: 10 }],
      feasible: [],
      cooldowns: [{ fromMs: 262_120, promisedMs: 292_120, observedMs: 292_300 }],
      retryAfter: [481, 500, 501, 502, 503].map((seq, index) => ({
        seq,
        atMs: 262_100 + index * 5_500,
        promisedMs: 292_120,
        admittedMs: 293_500,
        headerSeconds: 30 - Math.round(index * 5.5),
        bodySeconds: 30 - Math.round(index * 5.5),
        bodyMs: null,
      })),
      spend: [],
    },
  };
}

function keyCapPolicy(): LimitPolicyResult {
  const ops: LimitTimelineOp[] = [];
  const spend: LimitTimeline["spend"][number][] = [];
  for (let index = 0; index < 14; index += 1) {
    const sentMs = 300_000 + index * 1_500;
    const admitted = index < 11;
    const findings = admitted && index === 10 ? ["F003"] : [];
    const shown = { remaining: 500 - index, resetMs: 364_000, findings };
    ops.push(op(520 + index, "capped", admitted ? "admitted" : "rejected", [sentMs, sentMs + 400], shown));
    if (admitted) spend.push({ atMs: sentMs + 400, cents: (index + 1) * 2.1, source: "responses" });
    if (index % 3 === 2) spend.push({ atMs: sentMs + 700, cents: Math.min(11, index) * 2.1, source: "usage-report" });
  }
  return {
    id: "cap-lowLimit",
    title: "Monthly spend cap of the key, 20 cents",
    kind: "key-cap",
    key: "lowLimit",
    endpoint: null,
    declared: { limit: null, windowSeconds: null, cooldownSeconds: null, capCents: 20, algorithm: null },
    verdict: "fail",
    tier: "violation",
    drivenBy: "exam",
    summary: "One request was admitted after the spend had passed the cap of 20 cents.",
    checks: [check("spend.overshoot", "The cap is hard", "fail", "Admitted at 21.0 cents with nothing in flight.", ["F003"])],
    identification: null,
    tolerances: { usageLagMs: 4000 },
    timeline: { ops, windows: [], feasible: [], cooldowns: [], retryAfter: [], spend },
  };
}

/** A request of a chat key whose request limit is 600, with whatever differs. */
function op(
  seq: number,
  phase: LimitPhase,
  lane: LimitTimelineOp["lane"],
  [sentMs, headersMs]: readonly [number, number | null],
  changes: Partial<LimitTimelineOp> = {},
): LimitTimelineOp {
  const status = lane === "rejected" ? 429 : 200;
  const base = { seq, endpoint: "chat", phase, lane, sentMs, headersMs, status } as const;
  return { ...base, limit: 600, remaining: 0, resetMs: 304_000, findings: [], ...changes };
}

const tiers = { pass: "consistent", fail: "violation", inconclusive: "inconclusive" } as const;

function check(
  id: LimitCheckId,
  title: string,
  verdict: keyof typeof tiers,
  message: string,
  findings: readonly string[] = [],
  certificate: LimitCheckResult["certificate"] = null,
): LimitCheckResult {
  const tier = tiers[verdict];
  return { id, title, requirements: ["LIM-004"], verdict, tier, message, considered: 218, needed: 8, certificate, findings };
}
