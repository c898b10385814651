import { isOverBefore } from "../../../core/exchange/moments.ts";
import { groupBy } from "../../../core/group-by.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { isJsonObject, showValue } from "../../judging/json-value.ts";
import { readingsOf, readStreamText, type TextReading, usualReading } from "../stream/stream-text-reading.ts";
import type { Comparison, Relation } from "./relation.ts";

/** One request, asked plainly several times and as a stream. */
interface Group {
  readonly plain: readonly ExchangeFacts[];
  readonly streams: readonly ExchangeFacts[];
  readonly others: readonly ExchangeFacts[];
}

/** Below this no chance explains that plain answers agree and streams do not. */
const leastChance = 0.001;

/**
 * A stream holds the text of the plain answer, if equal requests get equal answers. A service that samples answers differs from one
 * plain answer to the next as well, and so says nothing. A service may keep plain answers alone in a cache: they agree then, and its
 * streams are samples, which differ among themselves. Streams of most requests have to agree before one is held against an answer, or
 * those that are open alone have to hold the answers: then others differ because of the streams beside them.
 */
export const streamedText: Relation = {
  id: "chat/same-request/streamed/text",
  requirement: "CHAT-045",
  says: "a stream holds another text than the answers without one",
  held: "all members of two chat requests but stream, of a target that gives equal answers to equal requests",
  varies: "the delivery: in one piece or as a stream",
  agrees: "the text",
  *compare(record) {
    const asked = [...groupBy(record.filter(isAsked), requestOf).values()];
    const reading = learnReading(asked);
    const groups = asked.map((answers) => readGroup(answers, reading));
    const compared = groups.filter(({ plain, streams }) => plain.length > 1 && streams.length > 0);
    if (compared.some(({ plain }) => new Set(plain.map(plainText)).size > 1)) return;
    const chance = compared.reduce((product, group) => product * chanceOf(group), 1);
    const isDecided = streamsAgree(compared, reading) || differInCompany(compared);
    if (!isDecided || chance >= leastChance) yield* doubtOf(compared);
    if (!isDecided) return;
    for (const { plain, streams, others } of compared) {
      if (others.length === 0) yield comparison(streams[0], plain[0], null);
      else if (chance < leastChance) yield comparison(others[0], plain[0], reading);
    }
  },
};

/** Whether streams of equal requests mostly hold equal texts, and so are no samples. */
function streamsAgree(groups: readonly Group[], reading: TextReading): boolean {
  const several = groups.filter(({ streams }) => streams.length > 1);
  const alike = several.filter(({ streams }) => {
    const counts = [...groupBy(streams, (stream) => readStreamText(stream, reading) ?? "").values()].map(({ length }) => length);
    return Math.max(...counts) > streams.length / 2;
  });
  return several.length > 0 && alike.length > several.length / 2;
}

const singlesNeeded = 6;

/** The streams that were open alone. */
function openAlone(groups: readonly Group[]): ReadonlySet<ExchangeFacts> {
  const streams = groups.flatMap((group) => group.streams);
  const meets = (one: ExchangeFacts, other: ExchangeFacts): boolean =>
    one !== other && !isOverBefore(one, other) && !isOverBefore(other, one);
  return new Set(streams.filter((one) => !streams.some((other) => meets(one, other))));
}

/** Whether each stream that was open alone holds the answer, and most of those that were open together do not, by no chance. */
function differInCompany(groups: readonly Group[]): boolean {
  const streams = groups.flatMap((group) => group.streams);
  const others = new Set(groups.flatMap((group) => group.others));
  const singles = [...openAlone(groups)];
  const odd = others.size;
  if (singles.length < singlesNeeded || singles.some((one) => others.has(one))) return false;
  const isMost = 2 * odd >= streams.length - singles.length;
  return isMost && chooseProbability({ all: streams.length, odd, drawn: singles.length }) < leastChance;
}

/**
 * Streams that were open together hold another text, and none that was open alone: the same again shows whether company is the reason.
 * A target that samples its streams differs in those, too.
 */
function* doubtOf(groups: readonly Group[]): Iterable<Comparison> {
  const others = groups.flatMap((group) => group.others);
  const [odd] = others;
  const plain = groups.find((group) => odd !== undefined && group.others.includes(odd))?.plain[0];
  const alone = openAlone(groups);
  if (odd === undefined || wereAskedAgain(groups) || others.some((one) => alone.has(one))) return;
  yield { ...comparison(odd, plain, usualReading), isProven: false, isDoubtful: true };
}

/** Whether a stream that had come whole was asked for once more. One that was refused before is none. */
function wereAskedAgain(groups: readonly Group[]): boolean {
  const whole = groups.flatMap(({ streams }) => streams).filter(({ isSuccess }) => isSuccess);
  const sendings = groupBy(whole, ({ caseId, label }) => `${caseId} ${label}`);
  return [...sendings.values()].some((same) => same.length > 1 && same.some(({ attempt }) => attempt > 1));
}

/** The probability that all plain answers that follow the first agree with it, if streams were no different from them. */
function chanceOf({ plain, streams, others }: Group): number {
  return chooseProbability({ all: plain.length - 1 + streams.length, odd: others.length, drawn: plain.length - 1 });
}

function isAsked(exchange: ExchangeFacts): boolean {
  const { endpoint, keyName, intent } = exchange;
  if (endpoint !== "chat" || keyName === null || intent.kind === "violates") return false;
  return exchange.asksForStream || plainText(exchange) !== null;
}

/**
 * The specification does not show the events of a stream. A place whose texts are the plain answer in most of the streams where any are
 * is that of the text; the usual one where none is.
 */
function learnReading(asked: readonly (readonly ExchangeFacts[])[]): TextReading {
  const found = new Map<string, { readonly reading: TextReading; count: number }>();
  for (const answers of asked) {
    const text = textOfPlain(answers);
    const streams = text === null ? [] : answers.filter(({ asksForStream }) => asksForStream);
    for (const reading of streams.flatMap((stream) => readingsOf(stream, text ?? ""))) {
      const key = `${reading.path} ${reading.joins}`;
      const known = found.get(key) ?? { reading, count: 0 };
      known.count += 1;
      found.set(key, known);
    }
  }
  const [best] = [...found.values()].toSorted((one, other) => other.count - one.count);
  return best?.reading ?? usualReading;
}

function textOfPlain(answers: readonly ExchangeFacts[]): string | null {
  const plain = answers.find(({ asksForStream }) => !asksForStream);
  return plain === undefined ? null : plainText(plain);
}

function requestOf({ requestObject }: ExchangeFacts): string {
  const { stream: _stream, ...rest } = requestObject ?? {};
  return JSON.stringify(Object.entries(rest).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function plainText({ responseObject }: ExchangeFacts): string | null {
  const choices = responseObject?.["choices"];
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  const message = isJsonObject(choice) ? choice["message"] : undefined;
  const content = isJsonObject(message) ? message["content"] : undefined;
  return typeof content === "string" ? content : null;
}

function readGroup(answers: readonly ExchangeFacts[], reading: TextReading): Group {
  const plain = answers.filter(({ asksForStream }) => !asksForStream);
  const streams = answers.filter((one) => one.asksForStream && !one.streamEnd.error && readStreamText(one, reading) !== null);
  const text = textOfPlain(answers);
  return { plain, streams, others: streams.filter((stream) => !holdsText(stream, text, reading)) };
}

/** Joined, or as a row of growing texts, whose last one is the whole: how deltas are to be read is a matter of the convention. */
function holdsText(stream: ExchangeFacts, text: string | null, reading: TextReading): boolean {
  const readings = [reading, { ...reading, joins: "whole" } as const];
  return readings.some((each) => readStreamText(stream, each)?.trim() === text?.trim());
}

/** `reading`: null where the texts agree. */
function comparison(
  stream: ExchangeFacts | undefined,
  plain: ExchangeFacts | undefined,
  reading: TextReading | null,
): Comparison {
  const shown = (text: string | null | undefined): string => showValue(text ?? null, 120);
  const observed = stream === undefined || reading === null ? null : readStreamText(stream, reading);
  return {
    exchanges: [stream?.seq ?? 0, plain?.seq ?? 0],
    isProven: true,
    holds: reading === null,
    expected: `${shown(plain && plainText(plain))}, as #${plain?.seq} and its repetitions say`,
    observed: observed === null ? "" : `${shown(observed)} in the stream #${stream?.seq}`,
  };
}

interface Draw {
  readonly all: number;
  /** How many of all are of the other kind. */
  readonly odd: number;
  readonly drawn: number;
}

/** The probability that none of the drawn ones is of the other kind. */
function chooseProbability({ all, odd, drawn }: Draw): number {
  let probability = 1;
  for (let place = 0; place < drawn; place += 1) probability *= Math.max(0, all - odd - place) / (all - place);
  return probability;
}
