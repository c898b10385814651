import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { groupBy } from "../../core/group-by.ts";
import { isAnswered } from "../judging/subjects.ts";
import { isJsonObject } from "../judging/json-value.ts";

/** A property of answers that equal requests show with several values: the instance that answered decides it, not the request. */
export interface InstanceMark {
  /** `server`, in lower case; `model`, `Date`. */
  readonly name: string;
  readonly value: string;
  /** `server: gateway/1.8` */
  readonly words: string;
  /** Sequence numbers of the answers that have it. */
  readonly seqs: ReadonlySet<number>;
}

/** More values than a service has instances: an id, a counter, a time. */
const mostValues = 8;
/** An answer with an own value is no sign of an instance. */
const leastAnswers = 3;
const valueShown = 60;
/** Clocks differ by a gap that no network and no second of resolution explains. */
const clockGapMs = 2_500;
/** An answer that was read later than this shows no clock. */
const readLateMs = 500;

/** Fields that differ from answer to answer, or with the encoding that was asked for, by right. */
const ofOneAnswer =
  /^(?:date|age|expires|etag|vary|connection|keep-alive|content-(?:length|encoding|md5|digest)|transfer-encoding|retry-after|set-cookie|x-ratelimit-(?:remaining|reset).*)$/;
/** Members by which services name their model, and what runs it. */
const ofModel = ["model", "system_fingerprint", "provider", "version"] as const;

type Named = readonly [name: string, value: string];

/** Marks of instances in a record, those of each name together. Linear in the record. */
export function findInstanceMarks(exchanges: Iterable<Exchange>): readonly InstanceMark[] {
  const own = [...exchanges].filter((one) => one.stage === "conformance" && isAnswered(factsOf(one)));
  const clocks = namesOfClocks(own);
  const shown = own.map((exchange) => [exchange, [...namesOf(exchange), ...(clocks.get(exchange.seq) ?? [])]] as const);
  const values = new Map<string, Map<string, Set<number>>>();
  for (const [{ seq }, named] of shown) {
    for (const [name, value] of named) {
      const ofName = values.get(name) ?? new Map<string, Set<number>>();
      values.set(name, ofName);
      ofName.set(value, (ofName.get(value) ?? new Set()).add(seq));
    }
  }
  const varying = variesAmongEqual(shown);
  return [...values].flatMap(([name, ofName]) =>
    ofName.size < 2 || ofName.size > mostValues || !varying.has(name)
      ? []
      : [...ofName]
          .filter(([, seqs]) => seqs.size >= leastAnswers)
          .map(([value, seqs]) => ({ name, value, words: name === "Date" ? value : `${name}: ${value}`, seqs })),
  );
}

function* namesOf(exchange: Exchange): Iterable<Named> {
  for (const [name, value] of exchange.response?.headers ?? []) {
    const lower = name.toLowerCase();
    if (!ofOneAnswer.test(lower)) yield [lower, value.slice(0, valueShown)];
  }
  const facts = factsOf(exchange);
  const content = exchange.response?.stream == null ? facts.peekBody() : null;
  const object = content === null ? facts.eventValues[0] : content.ok ? content.value : undefined;
  if (!isJsonObject(object)) return;
  for (const name of ofModel) {
    const value = object[name];
    if (typeof value === "string") yield [name, value.slice(0, valueShown)];
  }
}

/** Names with two values in answers of one status to equal requests. */
function variesAmongEqual(shown: readonly (readonly [Exchange, readonly Named[]])[]): ReadonlySet<string> {
  const groups = groupBy(shown, ([{ request, keyName, response }]) =>
    [request.method, request.path, request.body?.sha256 ?? "", keyName ?? "", response?.status ?? 0].join(" "),
  );
  const varying = new Set<string>();
  for (const group of groups.values()) {
    const first = new Map<string, string>();
    for (const [, named] of group) {
      for (const [name, value] of named) {
        const before = first.get(name);
        if (before === undefined) first.set(name, value);
        else if (before !== value) varying.add(name);
      }
    }
  }
  return varying;
}

/** The clock of each answer by its distance from that of most others: `a Date 4 s behind that of others`. */
function namesOfClocks(exchanges: readonly Exchange[]): ReadonlyMap<number, readonly Named[]> {
  const dated = exchanges
    .flatMap((exchange) => {
      const { dateMs, received } = factsOf(exchange);
      const isReadLate = received.latestMs - received.earliestMs > readLateMs;
      return dateMs === null || isReadLate ? [] : [{ seq: exchange.seq, offsetMs: dateMs - received.latestMs }];
    })
    .toSorted((one, other) => one.offsetMs - other.offsetMs);
  const clusters: { readonly seq: number; readonly offsetMs: number }[][] = [];
  for (const one of dated) {
    const last = clusters.at(-1);
    if (last === undefined || one.offsetMs - (last.at(-1)?.offsetMs ?? 0) > clockGapMs) clusters.push([one]);
    else last.push(one);
  }
  const middleOf = (cluster: (typeof clusters)[number]): number => cluster[Math.floor(cluster.length / 2)]?.offsetMs ?? 0;
  return new Map(
    clusters.flatMap((cluster) => {
      const [most] = clusters.filter((other) => other !== cluster).toSorted((one, other) => other.length - one.length);
      if (most === undefined) return [];
      const seconds = Math.round((middleOf(cluster) - middleOf(most)) / 1000);
      const words = `a Date ${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"} that of others`;
      return cluster.map(({ seq }) => [seq, [["Date", words] as const]] as const);
    }),
  );
}
