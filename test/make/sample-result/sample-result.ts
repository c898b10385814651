import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Finding } from "../../../src/core/result/finding.ts";
import { createRandom } from "../../../src/core/random.ts";
import type { ScopeResult } from "../../../src/core/result/scope-result.ts";
import type { Result } from "../../../src/core/result/result.ts";
import { makeFinding } from "../results/make-finding.ts";
import { hostileStrings } from "../hostile/hostile-strings.ts";
import { sampleConformance } from "./sample-conformance.ts";
import { sampleEvidence } from "./sample-evidence.ts";
import { sampleLimits } from "./sample-limits.ts";
import { sampleLoad } from "./sample-load.ts";

export interface Sample {
  readonly result: Result;
  readonly evidence: readonly Exchange[];
}

export interface SampleOptions {
  readonly seed?: number;
  /** Every free text of the result and of the evidence is replaced by a hostile one. */
  readonly hostile?: boolean;
  /** Nothing to complain about. */
  readonly clean?: boolean;
}

/** A run as it could have been: conformance, limits and load of a target with a handful of defects. */
const sampleScope: ScopeResult = {
  judged: 12,
  inScope: 12,
  outside: 2,
  notApplicable: 1,
  notSelected: 0,
  open: [],
  missing: [{ member: "keys.readOnly", what: "may read and not write", requirements: ["AUTH-015", "AUTH-016"] }],
  waived: [{ id: "IMG-0*", reason: "no images", expires: "2027-01-31", expired: false, requirements: ["IMG-001"] }],
  unmet: [],
  lost: [],
  yaml: "keys:\n  readOnly: ${ASSAY_READ_ONLY_KEY}\n",
};

export function buildSample(options: SampleOptions = {}): Sample {
  const random = createRandom(options.seed ?? 42);
  const findings = options.clean === true ? [] : sampleFindings();
  const result: Result = {
    schemaVersion: "1.0",
    runId: "2026-11-21T05-10-03Z-staging",
    verdict: options.clean === true ? "passed" : "failed",
    reason:
      options.clean === true
        ? "Every checkable requirement, limit and gate was met."
        : "6 failures: 4 requirements are violated, limits.requests-models admitted 63 of 60, and one load gate is missed.",
    exitCode: options.clean === true ? 0 : 1,
    target: { name: "staging", baseUrl: "https://api.staging.example.com", plan: "starter", server: "edge-gateway/3.1" },
    tool: { name: "assay", version: "0.1.0", node: "v20.20.2", platform: "linux x64" },
    spec: {
      title: "Inference API Service Specification",
      sha256: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
    },
    command: ["assay", "run", "--config", "assay.config.yaml", "--seed", "42"],
    seed: options.seed ?? 42,
    startedAt: "2026-11-21T05:10:03.000Z",
    durationMs: 612_400,
    strict: false,
    interrupted: false,
    spent: { requests: 2_310, promptTokens: 268_200, completionTokens: 75_900, estimatedUsd: 0.4821 },
    health: { valid: true, reasons: [], loopUtilization: 0.16, loopDelayMaxMs: 14, clockOffsetMs: [-12, 19], transportRaces: 1 },
    scope: sampleScope,
    conformance: sampleConformance(),
    limits: sampleLimits(random.fork("limits")),
    load: sampleLoad(options.seed ?? 42),
    passive: {
      responsesSeen: 2_309,
      responsesJudged: 2_296,
      account: [],
      violations: [
        {
          requirement: "LIM-001",
          stage: "load",
          subject: "429 chat",
          message: "x-ratelimit-reset-tokens is missing",
          kind: "absent x-ratelimit-reset-tokens",
          outcome: "fail",
          count: 12,
          outOf: 12,
          exchanges: [712, 713],
        },
        {
          requirement: "CORE-007",
          stage: "limits",
          subject: "429 models",
          message: "error.code is an integer",
          kind: "error.code is an integer",
          outcome: "fail",
          count: 3,
          outOf: 27,
          exchanges: [163],
        },
      ],
    },
    findings,
    notes: ["Settings of key lowLimit were restored.", "Suite spend was not run: permissions.spendUpToCents is 0."],
  };
  const sample = { result, evidence: sampleEvidence(result) };
  return options.hostile === true ? makeHostile(sample) : sample;
}

function sampleFindings(): readonly Finding[] {
  const finding = (id: string, parts: Partial<Finding>): Finding => makeFinding({ requirement: null, ...parts, id });
  return [
    finding("F001", {
      requirement: "CHAT-014",
      check: "chat-temperature-range",
      message: "temperature 2.1 is accepted with 200, although the specification ends the range at 2.",
      spec: "Endpoints > POST /v1/chat/completions",
      sent: '{"model":"orion-1","messages":[...],"temperature":2.1}',
      expected: "422 with error.code and error.details naming temperature",
      observed: "200 with a chat completion",
      exchanges: [41, 42],
      more: 3,
      curl: `curl -sS -X POST 'https://api.staging.example.com/v1/chat/completions' \\\n  -H "Authorization: Bearer $ASSAY_API_KEY" \\\n  -H 'Content-Type: application/json' \\\n  --data '{"model":"orion-1","messages":[{"role":"user","content":"ping"}],"temperature":2.1}'`,
    }),
    finding("F002", {
      requirement: "LIM-001",
      check: "rate-limit-headers-present",
      message: "12 of 12 rejected chat requests lack x-ratelimit-reset-tokens.",
      spec: "Limits > Rate limits",
      expected: "six x-ratelimit headers on every response to a valid key",
      observed: "five of six on 429",
      exchanges: [712, 713],
      more: 10,
    }),
    finding("F003", {
      stage: "limits",
      requirement: "LIM-004",
      check: "limits.over-admission",
      message: "63 requests were certainly admitted in a window of 60 s that was declared to hold 60.",
      spec: "Limits > Rate limits",
      expected: "at most 60 admissions inside [+64.0 s, +124.0 s)",
      observed: "63, all sent and answered inside the window",
      exchanges: [226, 227, 228, 229, 230, 231],
    }),
    finding("F004", {
      requirement: "CORE-009",
      check: "malformed-json",
      message: "Malformed JSON is answered 400 instead of 422.",
      spec: "Errors",
      expected: "422",
      observed: "400",
      exchanges: [44],
      curl: `curl -sS -X POST 'https://api.staging.example.com/v1/embeddings' -H "Authorization: Bearer $ASSAY_API_KEY" --data '{"input":'`,
    }),
    finding("F005", {
      stage: "limits",
      requirement: "LIM-006",
      check: "limits.retry-after-too-short",
      message: "The client waited the 6 s that Retry-After reported and was rejected again.",
      spec: "Limits > Rate limits",
      expected: "admission after Retry-After",
      observed: "429 after 6.4 s",
      exchanges: [236],
    }),
    finding("F006", {
      stage: "load",
      check: "user-p99",
      level: null,
      message: "load chat-stream-steady: the gate user-latency.p99 < 2500ms was missed",
      expected: "user-latency.p99 < 2500ms",
      observed: "3,120 ms (95 % interval 2,840 ms to 3,660 ms)",
      exchanges: [700, 701],
    }),
    finding("F007", {
      requirement: "CORE-011",
      check: "wrong-type-status",
      level: "should",
      verdict: "advisory",
      message: "A string for temperature is answered 400; 422 would be the documented status.",
      spec: "Errors (reading AMB-07)",
      expected: "422",
      observed: "400",
      exchanges: [46],
    }),
    finding("F008", {
      stage: "limits",
      requirement: "LIM-012",
      check: "limits.retry-after-disagrees",
      level: "may",
      verdict: "advisory",
      message: "Header and body of one 429 disagree by 3 s on the time to wait.",
      spec: "Limits > Rate limits",
      expected: "equal values",
      observed: "header 47 s, body 50 s",
      exchanges: [166],
      baselined: true,
    }),
  ];
}

/** Members whose values are words of our own closed vocabulary: a target cannot choose them. */
const closed: ReadonlySet<string> = new Set(
  (
    "schemaVersion verdict stage level suite kind lane endpoint metric outcome phase unit tier " +
    "startedAt histogram why source engine counts id findings requirement outcomes"
  ).split(" "),
);

function makeHostile(sample: Sample): Sample {
  let next = 0;
  const visit = (value: unknown, name: string): unknown => {
    if (closed.has(name) && !(name === "findings" && Array.isArray(value) && typeof value[0] === "object")) return value;
    if (typeof value === "string") return `${hostileStrings[next++ % hostileStrings.length] ?? ""} ${next}`;
    if (Array.isArray(value)) return value.map((item) => visit(item, name === "findings" ? "" : name));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, key === "suites" ? member : visit(member, key)]),
    );
  };
  return visit(sample, "") as Sample;
}
