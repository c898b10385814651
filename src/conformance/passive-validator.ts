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

interface Counter {
  count: number;
}

const exchangesKept = 5;

export function createPassiveValidator({ judges, context, violationsKept = 200 }: PassiveValidatorOptions): PassiveValidator {
  const passive = judges.filter((judge): judge is ExchangeJudge => judge.scope === "exchange");
  const tallies = new Map<string, Tally>();
  /** Subjects considered, by stage and subject, then by requirement: the denominator of `0.3 % of 429s`. */
  const considered = new Map<string, Map<string, Counter>>();
  let [seen, judged] = [0, 0];

  const countersOf = (place: string): Map<string, Counter> => {
    let counters = considered.get(place);
    if (counters === undefined) {
      counters = new Map();
      considered.set(place, counters);
    }
    return counters;
  };

  const observe = (exchange: Exchange): void => {
    seen += 1;
    if (exchange.response === null) return;
    judged += 1;
    const subject = `${statusOf(exchange)} ${exchange.endpoint ?? "other"}${exchange.response.stream === null ? "" : " stream"}`;
    const here = countersOf(`${exchange.stage} ${subject}`);
    for (const judge of passive) {
      for (const occurrence of judgeSafely(judge, exchange, context)) {
        // Nearly all occurrences are passes and only counted: no text is built for them.
        const counter = here.get(occurrence.requirement);
        if (counter === undefined) here.set(occurrence.requirement, { count: 1 });
        else counter.count += 1;
        if (occurrence.outcome !== "fail" && occurrence.outcome !== "advisory") continue;
        const place = `${occurrence.requirement} ${exchange.stage} ${subject}`;
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
        outOf: considered.get(`${stage} ${subject}`)?.get(requirement)?.count ?? count,
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
