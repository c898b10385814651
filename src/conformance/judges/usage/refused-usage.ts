import { endpoints } from "../../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { type LabelSeries, labelSeries } from "../../judging/label-series.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { growthOf, mostGrowth, tokensOf, type UsageInterval, usageIntervals, usageLabels } from "./usage-interval.ts";
import { recordedLatenessMs } from "./usage-lateness.ts";
import { readUsageReport } from "./usage-report.ts";
import { roundsOf } from "../../judging/rounds-of.ts";

const requirement = "USG-042";
/** Sums of fractions differ in the last digits. */
const leastCostUsd = 1e-9;

/** Further labels of the cases in which a limit refuses: between these reports its key was served. */
export const refusedUsageLabels: { readonly start: string; readonly shown: LabelSeries } = {
  start: "start",
  shown: labelSeries("shown"),
};

/** Which requests a case has refused between its reports, and whether it shows beforehand that usage of its key would be seen. */
const cases = [
  { id: "usage/refused-requests", what: "a refused request", isShownFirst: false },
  { id: "usage/refused-by-request-limit", what: "a request that the request limit refused", isShownFirst: true },
  { id: "usage/refused-in-cooldown", what: "a request that was refused in a cooldown", isShownFirst: true },
] as const;

/** A refused request uses nothing; each case waits before it until the report stands still. Only where nobody else uses the account. */
export const refusedUsage: RunJudge = {
  scope: "run",
  id: "refused-usage",
  covers: [requirement],
  *judge(exchanges, { manifest }): Iterable<Occurrence> {
    if (!manifest.exclusive) return;
    const lateMs = recordedLatenessMs(exchanges, manifest);
    for (const { id, what, isShownFirst } of cases) {
      if (isShownFirst && !showsUsage(exchanges.filter(({ caseId }) => caseId === id))) continue;
      for (const interval of usageIntervals(exchanges, id))
        yield* judgeRefused(interval, mostGrowth(exchanges, interval, lateMs), what);
    }
  },
};

/** `served`: the tokens of what was served meanwhile, although a refusal was looked for; null: not all of it says its tokens. */
function* judgeRefused({ before, last, traffic }: UsageInterval, served: number | null, what: string): Iterable<Occurrence> {
  const billable = traffic.filter(({ endpoint }) => endpoint !== null && endpoints[endpoint].billable);
  if (served === null || billable.every((one) => one.isSuccess)) return;
  const growth = growthOf(before, last);
  const costUsd = (last.totalCostUsd ?? 0) - (before.totalCostUsd ?? 0);
  const refused = billable.filter((one) => !one.isSuccess).slice(0, 3);
  const subject = { requirement, exchanges: [before.exchange, last.exchange, ...refused].map(({ seq }) => seq) };
  const isCostWrong = served === 0 && Math.abs(costUsd) >= leastCostUsd;
  if (growth > served || (served === 0 && growth < 0) || isCostWrong) {
    yield {
      ...subject,
      outcome: "fail",
      kind: `${what} adds ${growth === served ? "cost" : "tokens"} to the usage`,
      expected: served === 0 ? "no tokens and no cost more than before" : `the ${served} tokens more of what was served`,
      observed: `${growth} tokens and ${costUsd.toFixed(6)} dollars more`,
    };
  } else if (growth === served) yield { ...subject, outcome: "pass" };
}

/** Whether what the key of this case was served showed in the reports: else it belongs to another account, and nothing of it would. */
function showsUsage(own: readonly ExchangeFacts[]): boolean {
  return roundsOf(own, ({ label }) => label === refusedUsageLabels.start).some((round) => {
    const before = round.find(({ label }) => label === usageLabels.before);
    const reports = [round[0], before].map((exchange) => (exchange === undefined ? null : readUsageReport(exchange)));
    const [first, second] = reports;
    if (before === undefined || first?.totalTokens == null || second?.totalTokens == null) return false;
    const used = round.filter(({ seq }) => seq < before.seq).reduce((sum, exchange) => sum + tokensOf(exchange), 0);
    return used > 0 && growthOf(first, second) >= used;
  });
}
