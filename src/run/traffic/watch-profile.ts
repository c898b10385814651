import type { Exchange } from "../../core/exchange/exchange.ts";
import type { LimitFigures } from "../../core/limit-figures.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import type { LimitAccount } from "../../core/result/limits-result.ts";
import { setAside } from "../../limits/history/set-aside.ts";
import { groupId, readOp } from "../../limits/history/history.ts";
import { readLimitFigures, findingsUnderLoad, listLimitChecks } from "../../limits/traffic/traffic-judgement.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import { loadKeyName } from "../../load/profile/load-key-name.ts";
import { limitScenarios } from "../../load/profile/limit-scenarios.ts";
import type { LoadProfile } from "../../load/profile/load-profile.ts";
import { watchTokens } from "../../limits/traffic/watch-tokens.ts";
import { watchBursts } from "../../limits/traffic/watch-bursts.ts";
import { watchLimits, type LimitWatch, type WatchedLimits } from "./watch-limits.ts";
import { watchProbe } from "./watch-probe.ts";
import { watchSpend } from "../../limits/traffic/watch-spend.ts";
import { describeJudgeFailure, guardJudge, type JudgeFault } from "../../conformance/verdict/judge-fault.ts";

/**
 * All judges of limits over the traffic of one profile: request and token limits always, bursts, cooldowns and a spend cap where the limit
 * that the profile is about, if any, can show them. A judge that fails is a finding (`guardWatch`). `live`: see `watchLimits`.
 */
export function watchProfile(
  profile: Pick<LoadProfile, "id" | "key" | "limitScenario" | "probe" | "repeat">,
  manifest: ManifestFacts,
  strict: boolean,
  live = true,
): LimitWatch {
  const { id, limitScenario } = profile;
  const scenario = limitScenario === null ? null : limitScenarios[limitScenario];
  const key = loadKeyName(profile.key, manifest);
  const requests = watchLimits(id, manifest, strict, live);
  const bursts = scenario === null ? null : watchBursts(manifest, key);
  const tokens = watchTokens(manifest);
  const spend = scenario?.crossesCap === true ? watchSpend(manifest, key) : null;
  const probe = watchProbe(profile, manifest, strict);
  const cached = countCachedAnswers();
  let watched: WatchedLimits | null = null;
  const finish = (): WatchedLimits => {
    const own = requests.finish();
    const judged = [tokens.finish(), bursts?.finish() ?? null, spend?.finish() ?? null].filter((each) => each !== null);
    const probed = probe?.finish() ?? null;
    const account = cached.account();
    return {
      figures: [own.figures, ...judged.map(readLimitFigures)].reduce(addFigures),
      checks: [...own.checks, ...judged.flatMap(({ result }) => listLimitChecks(result))],
      findings: [...own.findings, ...judged.flatMap((each) => findingsUnderLoad(id, each)), ...(probed?.findings ?? [])],
      ...(probed === null ? {} : { probe: probed.probe }),
      ...(account.length === 0 ? {} : { account }),
    };
  };
  const take = (sent: LimitOp): void => {
    cached.count(sent);
    // The service has not decided it, and may not have seen it.
    const op = sent.cached ? setAside(sent) : sent;
    probe?.onLoad(op.sentMs);
    requests.onOp(op);
    tokens.onOp(op);
    bursts?.onOp(op);
  };
  return guardWatch({
    onOp(op) {
      spend?.miss();
      take(op);
    },
    onExchange(exchange: Exchange) {
      spend?.onExchange(exchange);
      const op = readOp(exchange);
      if (op !== null) take(op);
    },
    onProbe: (exchange) => probe?.onExchange(exchange),
    finish: () => (watched ??= finish()),
  });
}

interface CachedAnswers {
  readonly count: (op: LimitOp) => void;
  readonly account: () => readonly LimitAccount[];
}

/** Counts, for each key and endpoint, the answers that a cache gave. */
function countCachedAnswers(): CachedAnswers {
  const groups = new Map<string, { sent: number; cached: number }>();
  return {
    count({ key, endpoint, cached }) {
      const id = groupId(key, endpoint);
      const group = groups.get(id) ?? { sent: 0, cached: 0 };
      groups.set(id, group);
      group.sent += 1;
      if (cached) group.cached += 1;
    },
    account: () =>
      [...groups].flatMap(([id, { sent, cached: count }]) =>
        count === 0
          ? []
          : [
              {
                policy: `requests/${id}`,
                sent,
                judged: sent - count,
                leftOut: [{ reason: "from a cache (Age above 0)", count }],
              },
            ],
      ),
  };
}

function addFigures(one: LimitFigures, other: LimitFigures): LimitFigures {
  const add = (first: number | null, second: number | null): number | null => (first === null ? second : first + (second ?? 0));
  return {
    over_admission: add(one.over_admission, other.over_admission),
    violations: add(one.violations, other.violations),
  };
}

/** Name of the judges behind a watch, for findings. */
const judge = "limits under load";

/**
 * A watch whose judges may fail on what a target sent: what they failed on is a finding, and from then on they say nothing, as a
 * history with a gap could accuse a correct limiter. The gates that need them are inconclusive then.
 */
function guardWatch(watch: LimitWatch): LimitWatch {
  let fault: JudgeFault | null = null;
  const note = (found: JudgeFault): void => {
    fault ??= found;
  };
  const take = (work: () => void, seq: number): void => {
    if (fault === null) guardJudge(judge, work, note, [seq]);
  };
  return {
    onExchange: (exchange) => take(() => watch.onExchange(exchange), exchange.seq),
    onProbe: (exchange) => take(() => watch.onProbe(exchange), exchange.seq),
    onOp: (op) => take(() => watch.onOp(op), op.seq),
    finish() {
      if (fault !== null) return failedWith(fault);
      return guardJudge(judge, watch.finish, (found) => {
        note(found);
        return failedWith(found);
      });
    },
  };
}

function failedWith(fault: JudgeFault): WatchedLimits {
  return { figures: { over_admission: null, violations: null }, checks: [], findings: [describeJudgeFailure(fault)] };
}
