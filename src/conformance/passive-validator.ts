import { statusOf } from "./exchange-view.ts";
import type { Exchange } from "../core/exchange.ts";
import type { PassiveSummary, PassiveViolation } from "../core/result.ts";
import { HarnessFault } from "./harness-fault.ts";
import type { ExchangeJudge, Judge, JudgeContext } from "./judge.ts";

/** Judges every response of every stage as it passes; keeps counts and the first distinct violations. */
export interface PassiveValidator {
  /** Looks at one finished exchange. Throws a HarnessFault where a judge or a schema mapping of ours is wrong. */
  observe(exchange: Exchange): void;
  summary(): PassiveSummary;
}

export interface PassiveValidatorOptions {
  readonly judges: readonly Judge[];
  readonly context: JudgeContext;
  /** Distinct violations that are kept in full; further ones of the same kind are counted. */
  readonly violationsKept?: number;
}

interface Tally {
  readonly requirement: string;
  readonly stage: string;
  readonly subject: string;
  readonly message: string;
  count: number;
  readonly exchanges: number[];
}

const exchangesKept = 5;

export function createPassiveValidator({ judges, context, violationsKept = 200 }: PassiveValidatorOptions): PassiveValidator {
  const passive = judges.filter((judge): judge is ExchangeJudge => judge.scope === "exchange");
  const tallies = new Map<string, Tally>();
  /** Subjects considered, by requirement, stage and subject: the denominator of `0.3 % of 429s`. */
  const considered = new Map<string, number>();
  let [seen, judged] = [0, 0];

  const observe = (exchange: Exchange): void => {
    seen += 1;
    if (exchange.response === null) return;
    judged += 1;
    const subject = `${statusOf(exchange)} ${exchange.endpoint ?? "other"}${exchange.response.stream === null ? "" : " stream"}`;
    for (const judge of passive) {
      for (const occurrence of judgeSafely(judge, exchange, context)) {
        const place = `${occurrence.requirement} ${exchange.stage} ${subject}`;
        considered.set(place, (considered.get(place) ?? 0) + 1);
        if (occurrence.outcome !== "fail" && occurrence.outcome !== "advisory") continue;
        const message = occurrence.message ?? "violated";
        // Values differ from response to response; the kind of violation does not.
        const key = `${place} ${judge.id} ${message.replaceAll(/\d+/g, "0")}`;
        const known = tallies.get(key);
        if (known === undefined) {
          if (tallies.size >= violationsKept) continue;
          const { requirement } = occurrence;
          tallies.set(key, { requirement, stage: exchange.stage, subject, message, count: 1, exchanges: [exchange.seq] });
        } else {
          known.count += 1;
          if (known.exchanges.length < exchangesKept) known.exchanges.push(exchange.seq);
        }
      }
    }
  };

  const summary = (): PassiveSummary => ({
    responsesSeen: seen,
    responsesJudged: judged,
    violations: [...tallies.values()]
      .map(({ requirement, stage, subject, message, count, exchanges }): PassiveViolation => ({
        requirement,
        stage,
        subject,
        message,
        count,
        outOf: considered.get(`${requirement} ${stage} ${subject}`) ?? count,
        exchanges: exchanges.toSorted((one, other) => one - other),
      }))
      .toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1)),
  });
  return { observe, summary };
}

function sortKey({ requirement, stage, subject, message }: PassiveViolation): string {
  return `${requirement} ${stage} ${subject} ${message}`;
}

function judgeSafely(judge: ExchangeJudge, exchange: Exchange, context: JudgeContext): ReturnType<ExchangeJudge["judge"]> {
  try {
    return [...judge.judge(exchange, context)];
  } catch (error) {
    if (error instanceof HarnessFault) throw error;
    throw new HarnessFault(`judge ${judge.id} failed on #${exchange.seq}: ${(error as Error).message}`, { cause: error });
  }
}
