import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { between } from "../../../core/exchange/instant.ts";
import { momentsOf } from "../../../core/exchange/moments.ts";
import { declaredWindowSeconds } from "../../../core/declared-window.ts";
import { countExpired } from "../../judging/count-expired.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { type LabelSeries, labelSeries } from "../../judging/label-series.ts";
import { isJsonObject, type JsonValue } from "../../judging/json-value.ts";
import { cosine, readVector } from "../embeddings/embedding-answer.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { type AtOnceSeries, type GivingBack, judgeOwnFields } from "./own-fields.ts";
import { readFall } from "./read-fall.ts";

const cases: readonly string[] = ["core/at-once", "core/refusals-at-once"];

/** Labels of the requests of `core/at-once` and `core/refusals-at-once`. */
export const atOnceLabels: {
  readonly chat: LabelSeries<[place: number] | [place: number, "again"]>;
  readonly stream: LabelSeries<[place: number]>;
  readonly embedding: LabelSeries<[place: number]>;
  readonly batch: LabelSeries<[place: number]>;
  /** The same request alone, by its label among the others. */
  readonly alone: LabelSeries<[label: string]>;
  readonly afterwards: string;
} = {
  chat: labelSeries("chat"),
  stream: labelSeries("stream"),
  embedding: labelSeries("embedding"),
  batch: labelSeries("batch"),
  alone: labelSeries("alone"),
  afterwards: "afterwards",
};

/** Vectors of other texts are far away; those of the same text differ in the last digits at most. */
const leastCosine = 0.99;

/**
 * Answers to requests in flight at the same time belong to their requests: the vectors are those of the same text alone, and
 * prompts of different lengths are counted as they are alone. The remaining number accounts for all of them.
 */
export const atOnce: RunJudge = {
  scope: "run",
  id: "at-once",
  covers: ["SVC-022", "RATE-039", "RATE-046"],
  *judge(exchanges, { manifest }): Iterable<Occurrence> {
    const chat = exchanges.filter(({ endpoint, keyName }) => endpoint === "chat" && keyName === "primary");
    const history = { chat, windowMs: 1000 * declaredWindowSeconds(manifest) };
    for (const caseId of cases) {
      const own = exchanges.filter((exchange) => exchange.caseId === caseId);
      for (const round of splitRounds(own)) yield* judgeRound(round, history);
    }
  },
};

/** All chat requests of the primary key: a log forgets them a window later. */
interface History {
  readonly chat: readonly ExchangeFacts[];
  readonly windowMs: number;
}

function* judgeRound(round: readonly ExchangeFacts[], history: History): Iterable<Occurrence> {
  const alone = new Map(round.filter((one) => one.isSuccess).map((exchange) => [exchange.label, exchange]));
  for (const exchange of round) {
    const twin = alone.get(atOnceLabels.alone.label(exchange.label));
    if (twin !== undefined && exchange.isSuccess) yield* judgeBelonging(exchange, twin);
  }
  const series = seriesOf(round.filter(({ keyName }) => keyName === "primary"));
  const { alone: sequential, afterwards } = series;
  const before = sequential.at(-1);
  if (before === undefined || afterwards === undefined) return;
  const givingBack = readGivingBack(before, afterwards, history);
  yield* judgeRemaining(series, givingBack, history.windowMs);
  yield* judgeOwnFields("chat", series, givingBack);
}

function readGivingBack(before: ExchangeFacts, afterwards: ExchangeFacts, { chat, windowMs }: History): GivingBack {
  const elapsedMs = between(momentsOf(before).sent, momentsOf(afterwards).ended).mostMs;
  const limit = afterwards.rateLimit.requests.limit ?? 0;
  return {
    refilled: Math.ceil((limit * elapsedMs) / windowMs),
    expired: countExpired(chat, { first: before, last: afterwards, windowMs }),
  };
}

/** The chat requests of the primary key: alone, then in flight with others, then one more. */
function seriesOf(own: readonly ExchangeFacts[]): AtOnceSeries {
  const chat = own.filter((exchange) => exchange.endpoint === "chat" && exchange.response !== null);
  const afterwards = chat.find(({ label }) => label === atOnceLabels.afterwards);
  const alone = chat.filter(atOnceLabels.alone.has);
  const from = alone.at(-1)?.seq ?? Number.POSITIVE_INFINITY;
  const together = chat.filter(({ seq }) => seq > from && seq < (afterwards?.seq ?? 0));
  return { alone, together, afterwards };
}

/** A repetition of the case begins again with its first label. */
function splitRounds(own: readonly ExchangeFacts[]): readonly (readonly ExchangeFacts[])[] {
  const rounds: ExchangeFacts[][] = [];
  for (const exchange of own) {
    const isFirst = exchange.label === atOnceLabels.alone.label(atOnceLabels.chat.label(0));
    if (rounds.length === 0 || (isFirst && exchange.retryOf !== rounds.at(-1)?.at(-1)?.retryOf)) rounds.push([exchange]);
    else rounds.at(-1)?.push(exchange);
  }
  return rounds;
}

function* judgeBelonging(exchange: ExchangeFacts, twin: ExchangeFacts): Iterable<Occurrence> {
  const subject = { requirement: "SVC-022", exchanges: [exchange.seq, twin.seq] };
  const compared = exchange.endpoint === "embeddings" ? compareVectors(exchange, twin) : comparePrompts(exchange, twin);
  if (compared === null) return;
  const { isSame, ...words } = compared;
  const kind = "the answer to a request among many is not that to the same request alone";
  yield passOrFail(subject, isSame, () => ({ kind, ...words }));
}

interface Comparison {
  readonly isSame: boolean;
  readonly expected: string;
  readonly observed: string;
}

/** null: nothing to compare. */
function comparePrompts(exchange: ExchangeFacts, twin: ExchangeFacts): Comparison | null {
  const [here, alone] = [exchange.usage?.promptTokens, twin.usage?.promptTokens];
  if (here == null || alone == null) return null;
  // Tokens from a cache may be left out, which makes fewer of them and not other ones.
  return { isSame: here <= alone, expected: `${alone} prompt tokens, as alone`, observed: `${here} prompt tokens` };
}

function compareVectors(exchange: ExchangeFacts, twin: ExchangeFacts): Comparison | null {
  const [here, alone] = [vectorsOf(exchange), vectorsOf(twin)];
  if (here.length === 0 || alone.length === 0) return null;
  const texts = exchange.requestObject?.["input"];
  const wanted = Array.isArray(texts) ? texts.length : 1;
  if (here.length !== alone.length || here.length !== wanted) {
    return { isSame: false, expected: `${wanted} vectors`, observed: `${here.length} vectors, ${alone.length} alone` };
  }
  const least = Math.min(...here.map((vector, place) => cosine(vector, alone[place] ?? [])));
  return {
    isSame: least >= leastCosine,
    expected: `vectors with a cosine of at least ${leastCosine} to those of the same text alone`,
    observed: least.toFixed(4),
  };
}

function vectorsOf(exchange: ExchangeFacts): readonly (readonly number[])[] {
  const data = exchange.responseObject?.["data"];
  if (!Array.isArray(data)) return [];
  const entries = (data as readonly JsonValue[]).filter(isJsonObject);
  const ordered = entries.toSorted((one, other) => Number(one["index"]) - Number(other["index"]));
  return ordered.map((entry) => readVector(entry["embedding"])).filter((vector) => vector !== null);
}

/**
 * Between the last request alone and the one afterwards the number falls by one for each of both kinds in between, less what a
 * refilling limiter or a log gives back in that time. It is too little only within one window, whose reset is the same before and after:
 * where the reset moves, as that of a bucket does with every request, a number that fell far enough still shows that all were counted.
 */
function* judgeRemaining(
  { alone: sequential, together, afterwards: after }: AtOnceSeries,
  { refilled, expired }: GivingBack,
  windowMs: number,
): Iterable<Occurrence> {
  const [previous, before] = sequential.slice(-2);
  if (after === undefined || before === undefined || previous === undefined) return;
  const fall = readFall([previous, before, after]);
  // Rounded or late numbers do not fall by one for one request; nothing can be counted with them.
  if (fall === null || after.rateLimit.requests.limit == null || fall.first !== 1) return;
  const { second: fell, resets } = fall;
  const counted = together.filter(({ isSuccess, intent }) => isSuccess && intent.kind === "valid").length;
  const refill = Math.max(isWindow(sequential, resets, windowMs) ? 0 : refilled, expired) + 1;
  const least = counted + 1 - refill;
  // Elsewhere a window may have ended meanwhile, and a fall that its refill alone may hide shows nothing.
  if (resets.size > 1 && (least < 1 || fell < least)) return;
  const subject = { requirement: "RATE-039", exchanges: [after.seq, before.seq] };
  yield passOrFail(subject, fell >= least, () => ({
    kind: "requests in flight at the same time are not all counted",
    expected: `at least ${least} fewer remain after ${counted + 1} requests`,
    observed: `${fell} fewer`,
  }));
}

/** The number that a refilling limiter had certainly given back meanwhile, if nothing came back. */
const leastRefill = 2;

/**
 * If one reset stands all the time, and requests one after another, on a machine slow enough for a refill to show, lower the
 * number by one each, nothing comes back before that reset.
 */
function isWindow(sequential: readonly ExchangeFacts[], resets: ReadonlySet<number | null>, windowMs: number): boolean {
  const [first, last] = [sequential[0], sequential.at(-1)];
  if (first === undefined || last === undefined || resets.size > 1) return false;
  const [early, late] = [first.rateLimit.requests, last.rateLimit.requests];
  if (early.remaining == null || late.remaining == null || late.limit == null) return false;
  if (early.reset?.kind !== "instant" || !resets.has(early.reset.unixMs)) return false;
  const betweenMs = between(momentsOf(first).answered ?? momentsOf(first).ended, momentsOf(last).sent).leastMs;
  const isOneEach = early.remaining - late.remaining === sequential.length - 1;
  return isOneEach && (late.limit * betweenMs) / windowMs >= leastRefill;
}
