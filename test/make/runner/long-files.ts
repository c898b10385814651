import { createRandom, hashString } from "../../../src/core/random.ts";

/**
 * Files of about five seconds and more on a calm machine, by area, the longest first: `npm test` asks a sample of them by day, `.ci/run` the
 * others after it. Those with which every change of the code or of the catalogue has to agree (goldens, the whole command, the list of
 * switches) are not listed: they are asked each time. Mutants and variants are drawn one by one (`switch-share.ts`).
 */
export const longFiles: Readonly<Record<string, readonly string[]>> = {
  agents: [
    "features/agents/agents",
    "features/agents/faults",
    "features/agents/secure-broker",
    "features/agents/skewed-limits.prop",
    "features/agents/messages",
    "features/agents/doctor/diagnose-agents",
  ],
  cli: [
    "cli/operators",
    "cli/nightly-guide",
    "cli/secrets",
    "cli/killed-run",
    "cli/commands/report",
    "cli/replay",
    "cli/flag-secrets",
    "cli/hostile-targets",
    "cli/compare",
    "cli/package",
    "cli/restore",
    "cli/interrupt",
    "cli/secret-readers",
    "cli/broken-target",
    "cli/usage",
    "cli/hostile-files.prop",
    "cli/load-flags",
    "cli/commands/show",
    "cli/commands/init",
    "cli/agents-usage",
    "ci/github-action",
  ],
  conformance: [
    "conformance/foreign-service",
    "conformance/large-answers",
    "conformance/instances",
    "conformance/detection",
    "peers/aimock",
    "conformance/root-causes",
    "conformance/stable-findings",
    "conformance/unanswered-framing",
    "conformance/judges/rejections/element-rules",
    "conformance/judges/usage/refused-usage",
    "suites/refusal-mutants",
    "conformance/verdict/judge-conformance",
    "conformance/unread-answers.prop",
  ],
  features: [
    "features/certify/guide",
    "features/vitest/examples",
    "features/certify/same-everywhere",
    "features/certify/forged",
    "features/compare/runs/compare-results",
    "features/openapi/openapi",
    "features/certify/end-to-end",
    "features/history/history",
    "features/certify/tampering",
    "features/mcp/mcp",
  ],
  limits: [
    "limits/peers/peers",
    "limits/traffic/linear-judges",
    "limits/requests/refilling",
    "limits/lawful-accounts",
    "limits/lawful-histories",
    "limits/tokens/embedding-charge",
    "limits/exam/endpoints-without-headers",
    "limits/exam/real-schedule",
    "limits/exam/restart",
    "limits/exam/service-away",
    "limits/identify/sliding-counter",
    "limits/tokens/token-refusals",
    "limits/requests/rounded-remaining",
    "field/field",
    "limits/certificates/witness",
    "limits/burst/held-in-a-queue",
    "limits/spend/cycle-in-real-time",
    "limits/spend/without-pictures",
    "limits/faulty-limiters",
    "limits/requests/unreachable-limit",
    "limits/operators",
    "limits/traffic/watch-tokens",
    "limits/exam/plan",
    "limits/requests/certificates.prop",
    "limits/requests/retry-after-date",
    "limits/requests/words",
    "limits/burst/change-within-a-window",
    "limits/exam/planned-cents",
    "limits/exam/fit-minutes",
    "limits/requests/cached-answers",
    "field/unreachable-limit",
    "limits/traffic/monitor.prop",
  ],
  load: [
    "load/run-load-profile",
    "load/send/rate-allowance.prop",
    "load/proof-of-instruments",
    "load/send/search-levels",
    "load/workload/exact-prompts",
    "load/totals",
    "load/statistics/figures-of-queues",
    "load/statistics/percentile-interval",
    "load/caches",
    "load/limits-under-load",
    "load/send/repeats",
    "load/known-truths",
    "load/outcomes",
    "load/leaving",
    "load/gates/gate-where",
    "load/samples/unmeasured",
    "load/generator/cross-check",
    "report/robustness",
  ],
  run: [
    "run/traffic/probe-mutants",
    "run/scope/scope",
    "run/workers/thread-workers",
    "run/traffic/probe",
    "run/measured-lateness",
    "run/long-streams",
    "run/api-examples",
    "run/scope/equal-selections",
    "run/stops-answering",
    "run/clock-jumps",
    "run/record/ledger",
    "run/spend-under-load.prop",
    "run/spend-under-load",
    "run/hostile-bytes.prop",
    "run/stages/refused-profile",
    "run/bound-time",
    "run/workers/start-probe",
    "run/record/strangers.prop",
    "run/stages-share-a-clock",
    "run/scope/selections",
    "run/record/edited-record.prop",
  ],
  wire: [
    "wire/connection-lifecycle",
    "wire/idle-race",
    "suites/judges-are-total.prop",
    "core/exchange/answer-failure",
    "wire/capture/bounds",
    "wire/http1/response-reader.prop",
    "wire/broken-servers",
    "wire/redaction/deep-mask.prop",
    "schemas/hostile-yaml",
    "reference/engine/simulated-limiter.prop",
    "wire/http1/both-clients.prop",
  ],
};

/** One of so many is asked in `npm test`. */
const oneIn = 8;

/** One of each eight neighbours of an area, another each day: neighbours take about as long, and so do days. */
export function drawLongFiles(day: string): ReadonlySet<string> {
  const random = createRandom(hashString(`long files/${day}`));
  const drawn = Object.values(longFiles).flatMap((names) =>
    Array.from({ length: Math.ceil(names.length / oneIn) }, (_, group) => {
      const neighbours = names.slice(oneIn * group, oneIn * (group + 1));
      return neighbours[random.integer(0, neighbours.length - 1)]!;
    }),
  );
  return new Set(drawn);
}

/** Patterns of the files that a sample leaves out; none where files or tests were named, for example `vitest run test/cli`. */
export function leftOut(day: string, commandLine: readonly string[]): readonly string[] {
  const named = commandLine.filter((word) => !word.startsWith("-") && !/^\d+$/.test(word) && word !== "run");
  const drawn = drawLongFiles(day);
  return named.length > 0
    ? []
    : Object.values(longFiles)
        .flat()
        .filter((name) => !drawn.has(name))
        .map((name) => `test/${name}.test.ts`);
}
