import type { CacheAudit } from "../../core/result/cache-count.ts";
import type { AuditedAnswer } from "../ledger/ledger-line.ts";
import { nearestRank } from "../statistics/nearest-rank.ts";

/** Fewer answers of either kind say nothing. */
const leastAnswers = 2;
/**
 * A cache of prefixes spares the reading of a prompt, never the writing of an answer: only what takes less than this part of the quickest
 * fresh answer was not written anew. Answers that take a few milliseconds differ by chance.
 */
const mostOfFresh = 0.25;
const leastFreshMs = 20;
/** A time of creation that a target states in whole seconds is the same for answers of one second. */
const leastApartMs = 2000;

/** Whether the repeated prompts of an audit were answered from a cache of responses. */
export function judgeCacheAudit(answers: readonly AuditedAnswer[]): CacheAudit {
  const answered = answers.filter(({ answeredMs }) => answeredMs !== null);
  const fresh = answered.filter(({ isRepeat }) => !isRepeat);
  const repeated = answered.filter(({ isRepeat }) => isRepeat);
  const figures = { fresh: describe(fresh), repeated: describe(repeated) };
  if (fresh.length < leastAnswers || repeated.length < leastAnswers) return { verdict: "unclear", signs: [], ...figures };
  const signs = [
    findFields(fresh, repeated),
    findIds(fresh, repeated),
    findCreated(fresh, repeated),
    findLatency(fresh, repeated),
  ].filter((sign) => sign !== null);
  return { verdict: signs.length > 0 ? "cached" : "not-cached", signs, ...figures };
}

function describe(answers: readonly AuditedAnswer[]): CacheAudit["fresh"] {
  return { requests: answers.length, medianMs: nearestRank(answers.map(timeOf), 50) };
}

function timeOf({ sentMs, answeredMs }: AuditedAnswer): number {
  return (answeredMs ?? Infinity) - sentMs;
}

/** Fields that a cache sets where it answers itself, and that fresh answers have not. */
function findFields(fresh: readonly AuditedAnswer[], repeated: readonly AuditedAnswer[]): string | null {
  const usual = new Set(fresh.flatMap(({ cacheFields }) => cacheFields.map(nameOf)));
  const marked = repeated.flatMap(({ cacheFields }) => cacheFields.filter((field) => !usual.has(nameOf(field))));
  return marked[0] === undefined ? null : `repeated answers have the field ${marked[0]}, fresh ones have not`;
}

function nameOf(field: string): string {
  return field.split(":")[0] ?? field;
}

/** An id that every answer has names none of them. */
function findIds(fresh: readonly AuditedAnswer[], repeated: readonly AuditedAnswer[]): string | null {
  const ids = fresh.flatMap(({ id }) => (id === null ? [] : [id]));
  if (new Set(ids).size < ids.length) return null;
  const same = repeated.filter((answer) => answer.id !== null && answer.id === firstOf(fresh, answer)?.id);
  return same.length === 0 ? null : `${same.length} of ${repeated.length} repeated answers have the id of the first one`;
}

/** Of a target whose time of creation moves on. */
function findCreated(fresh: readonly AuditedAnswer[], repeated: readonly AuditedAnswer[]): string | null {
  if (new Set(fresh.map(({ created }) => created)).size < 2) return null;
  const apart = repeated.filter((answer) => answer.sentMs - (firstOf(fresh, answer)?.sentMs ?? Infinity) >= leastApartMs);
  const same = apart.filter((answer) => answer.created !== null && answer.created === firstOf(fresh, answer)?.created);
  return same.length === 0 || same.length < apart.length / 2
    ? null
    : `${same.length} of ${apart.length} repeated answers were created when the first one was`;
}

function findLatency(fresh: readonly AuditedAnswer[], repeated: readonly AuditedAnswer[]): string | null {
  const quickest = Math.min(...fresh.map(timeOf));
  const slowest = Math.max(...repeated.map(timeOf));
  const isWhole = repeated.every((answer) => (answer.outputTokens ?? 0) >= 0.5 * (firstOf(fresh, answer)?.outputTokens ?? 0));
  if (quickest < leastFreshMs || slowest >= mostOfFresh * quickest || !isWhole) return null;
  return `every repeated answer took at most ${slowest.toFixed(0)} ms, every fresh one ${quickest.toFixed(0)} ms or more`;
}

function firstOf(fresh: readonly AuditedAnswer[], { prompt }: AuditedAnswer): AuditedAnswer | undefined {
  return fresh.find((answer) => answer.prompt === prompt);
}
