import { factsOf } from "../exchange/exchange-facts.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { momentsOf } from "../exchange/moments.ts";
import { statedAbsenceMs } from "../exchange/stated-absence.ts";

/**
 * The answers of a service that was away for everybody, by sequence number: each names a wait, nothing that was sent after the first of
 * them was answered otherwise, and one of them was to a request without a key, on which no limit has a say. A 5xx that the service gives to
 * one key while it answers others is none of them.
 */
export function findAbsences(exchanges: readonly Exchange[]): ReadonlySet<number> {
  const answered = exchanges.filter((exchange) => exchange.response !== null && !isAskedFor(exchange));
  const found = new Set<number>();
  if (!answered.some((exchange) => exchange.keyName === null && isAway(exchange))) return found;
  let run: Exchange[] = [];
  const close = (): void => {
    if (run.some(({ keyName }) => keyName === null)) for (const { seq } of run) found.add(seq);
    run = [];
  };
  for (const exchange of answered.toSorted((one, other) => answerMs(one) - answerMs(other) || one.seq - other.seq)) {
    const [first] = run;
    if (isAway(exchange)) run.push(exchange);
    else if (first !== undefined && momentsOf(exchange).sent.earliestMs > answerMs(first)) close();
  }
  close();
  return found;
}

function isAway(exchange: Exchange): boolean {
  return statedAbsenceMs(factsOf(exchange)) !== null;
}

function answerMs(exchange: Exchange): number {
  const { answered, ended } = momentsOf(exchange);
  return (answered ?? ended).latestMs;
}

/** A fault that a request asks for. */
function isAskedFor({ intent }: Exchange): boolean {
  return intent.kind === "violates" && intent.condition === "fault-trigger";
}
