import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { ProbeAsk, ProbeOperation, ProbeResult, ProbeTimes } from "../../core/result/probe-result.ts";
import { repeatedId } from "../../core/result/repeated-id.ts";
import { allJudges } from "../../conformance/judges/all-judges.ts";
import { PassiveValidator } from "../../conformance/verdict/passive-validator.ts";
import { describeJudgeFailure } from "../../conformance/verdict/judge-fault.ts";
import { readOp } from "../../limits/history/history.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import { judgeProbe } from "../../limits/traffic/judge-probe.ts";
import { createLimitMonitor } from "../../limits/traffic/limit-monitor.ts";
import { findingsUnderLoad, listLimitChecks, trafficJudgement } from "../../limits/traffic/traffic-judgement.ts";
import { probeKeyName } from "../../load/profile/probe-policy.ts";
import type { LoadProfile } from "../../load/profile/load-profile.ts";
import { followStream } from "../../load/samples/stream-progress.ts";
import { nearestRank } from "../../load/statistics/nearest-rank.ts";
import { readCatalogue } from "../../schemas/read-catalogue.ts";
import { openJudgeContext } from "../judge-context.ts";
import { findViolations } from "../verdict/find-violations.ts";

/** The judgement of the requests of a probe, as they come. */
export interface ProbeWatch {
  readonly onExchange: (exchange: Exchange) => void;
  /** A request of the load was sent then. */
  readonly onLoad: (sentMs: number) => void;
  readonly finish: () => { readonly probe: ProbeResult; readonly findings: readonly Finding[] };
}

/** A limit check needs so many requests of a probe: two readings of what remains. */
const fewest = 2;
/** The load begins a little after its probe, and repeats requests after its last one. */
const slackSeconds = 5;

/** The judges of single answers and of limits over the requests of a probe; null where the profile has none. */
export function watchProbe(
  profile: Pick<LoadProfile, "id" | "probe" | "repeat">,
  manifest: ManifestFacts,
  strict: boolean,
): ProbeWatch | null {
  const { probe } = profile;
  if (probe === undefined) return null;
  const key = probeKeyName(probe.key, manifest);
  const name = repeatedId(profile);
  const place = profile.repeat === undefined ? `load ${name}` : `load ${name}, run ${profile.repeat.number}`;
  const exchanges: Exchange[] = [];
  let loadEndedMs = -Infinity;
  return {
    onExchange: (exchange) => void exchanges.push(exchange),
    onLoad(sentMs) {
      loadEndedMs = Math.max(loadEndedMs, sentMs);
    },
    finish() {
      const validator = new PassiveValidator({ judges: allJudges, context: openJudgeContext(manifest) });
      const monitor = createLimitMonitor({ manifest, strict, fewest });
      const ops: LimitOp[] = [];
      const ofBurst = new Set<number>();
      for (const exchange of exchanges.toSorted((one, other) => one.timing.sentMs - other.timing.sentMs)) {
        validator.observe(exchange);
        const op = readOp(exchange);
        if (op === null) continue;
        monitor.add(op);
        ops.push(op);
        if (namesBurst(exchange)) ofBurst.add(op.seq);
      }
      const further = trafficJudgement(judgeProbe({ key, ops, ofBurst, manifest }));
      const limits = monitor.finish();
      const answers = findViolations(validator.summary(), readCatalogue(), `${place}, probe with key ${key}`);
      const broken = [limits, further]
        .flatMap((judged) => findingsUnderLoad(name, judged))
        .map((finding) => ({
          ...finding,
          message: `probe with key ${key}, ${finding.message}`,
          forms: [
            {
              sent: `${place}, probe with key ${key}`,
              observed: finding.observed,
              exchange: finding.exchanges[0] ?? 0,
              count: 1,
            },
          ],
        }));
      const silent = validator
        .unjudged()
        .map(({ judge, fault, count, seq }) =>
          describeJudgeFailure({ judge: `${judge} on a probe`, fault, exchanges: [seq], more: count - 1 }),
        );
      const findings = [...answers, ...broken];
      const judged = new Set([...validator.counts().considered.values()].flatMap((counts) => [...counts.keys()]));
      const answered = exchanges.filter(({ response, failure }) => response !== null && failure === null).length;
      const figures = {
        key,
        everySeconds: probe.everySeconds,
        sent: exchanges.length,
        ...silenceOf(exchanges, loadEndedMs, probe.everySeconds),
        answered,
        requirements: judged.size,
        violated: [...new Set(findings.flatMap(({ requirement, also }) => [requirement ?? "", ...also]))].filter(
          (id) => id !== "",
        ),
        operations: [...new Set(probe.ask)].map((ask) => describeOperation(ask, exchanges)),
        limitChecks: [limits, further].flatMap(({ result }) => listLimitChecks(result)),
      };
      return { probe: { ...figures, ...verdictOf(figures, findings) }, findings: [...findings, ...silent] };
    },
  };
}

/** Whether a refusal says that it is one of the burst limit or its cooldown. */
function namesBurst(exchange: Exchange): boolean {
  const { code, message } = factsOf(exchange).errorBody;
  return exchange.response?.status === 429 && /burst|cool.?down/i.test(`${code ?? ""} ${message ?? ""}`);
}

/** Nothing where its last request was sent near the last one of the load. */
function silenceOf(
  exchanges: readonly Exchange[],
  loadEndedMs: number,
  everySeconds: number,
): Pick<ProbeResult, "silentSeconds"> {
  if (exchanges.length === 0) return {};
  const lastMs = Math.max(...exchanges.map(({ timing }) => timing.sentMs));
  const silentSeconds = Math.round((loadEndedMs - lastMs) / 1000);
  return silentSeconds > 2 * everySeconds + slackSeconds ? { silentSeconds } : {};
}

function verdictOf(
  { sent, answered, requirements, operations }: Pick<ProbeResult, "sent" | "answered" | "requirements" | "operations">,
  findings: readonly Finding[],
): Pick<ProbeResult, "verdict" | "reason"> {
  const failing = findings.filter(({ verdict }) => verdict === "fail");
  if (failing.length > 0)
    return { verdict: "fail", reason: failing.map(({ check, requirement }) => requirement ?? check).join(", ") };
  if (sent === 0) return { verdict: "inconclusive", reason: "the load ended before its first request, or the budget held none" };
  if (answered === 0 || requirements === 0)
    return { verdict: "inconclusive", reason: `none of its ${sent} requests was answered` };
  if (operations.every(({ ok }) => ok === 0))
    return { verdict: "inconclusive", reason: `${answered} of its ${sent} requests were answered, but none was served` };
  if (findings.length > 0) return { verdict: "advisory", reason: findings.map(({ message }) => message).join("; ") };
  return { verdict: "pass", reason: "no answer violates a requirement" };
}

function describeOperation(operation: ProbeAsk, all: readonly Exchange[]): ProbeOperation {
  const own = all.filter(({ label }) => label === operation);
  const answered = own.filter((exchange) => isAsAsked(operation, exchange));
  const firstTokens = answered.flatMap((exchange) => {
    const stream = exchange.response?.stream ?? null;
    const first = stream === null ? null : followStream(stream, factsOf(exchange).eventValues).firstTokenMs;
    return first === null ? [] : [first - exchange.timing.sentMs];
  });
  return {
    operation,
    sent: own.length,
    ok: answered.length,
    refused: own.filter(({ response }) => response?.status === 429).length,
    latencyMs: describeTimes(answered.map(({ timing }) => timing.endMs - timing.sentMs)),
    ttftMs: describeTimes(firstTokens),
  };
}

function isAsAsked(operation: ProbeAsk, { response, failure }: Exchange): boolean {
  if (response === null || failure !== null) return false;
  const { status } = response;
  if (operation === "error") return status >= 400 && status < 500 && status !== 429;
  return status >= 200 && status < 300;
}

function describeTimes(values: readonly number[]): ProbeTimes | null {
  const median = nearestRank(values, 50);
  return median === null ? null : { answers: values.length, median, max: Math.max(...values) };
}
