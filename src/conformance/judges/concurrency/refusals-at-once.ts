import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import { type LabelSeries, labelSeries } from "../../judging/label-series.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { atOnceLabels } from "./at-once.ts";
import { readFall } from "./read-fall.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

const caseId = "core/refusals-at-once";
const requirement = "SVC-024";

/**
 * The kinds of requests that `core/refusals-at-once` sends: thirty-two requests in all, with so many of each kind that has to
 * be refused.
 */
export const refusalKinds = ["unknown-key", "temperature", "effort", "unknown-model", "encoding"] as const;
export const copies = 3;
export const validChats = 10;
export const validEmbeddings = 7;

export type RefusalKind = (typeof refusalKinds)[number];

/** Labels of those that are refused: one of each kind alone, and several in company. */
export const refusalLabels: {
  readonly alone: LabelSeries<[kind: RefusalKind]>;
  readonly company: LabelSeries<[kind: RefusalKind, copy: number]>;
} = {
  alone: labelSeries("first"),
  company: labelSeries("company"),
};

const timesOf = (count: number): readonly number[] => Array.from({ length: count }, (_, place) => place);

/** Requests in company, with the same one, or one of its kind, alone. */
const twins: ReadonlyMap<string, string> = new Map([
  ...refusalKinds.flatMap((kind) =>
    timesOf(copies).map((copy) => [refusalLabels.company.label(kind, copy), refusalLabels.alone.label(kind)] as const),
  ),
  ...[
    ...timesOf(validChats).map((place) => atOnceLabels.chat.label(place)),
    ...timesOf(validEmbeddings).map((place) => atOnceLabels.embedding.label(place)),
  ].map((label) => [label, atOnceLabels.alone.label(label)] as const),
]);

/** Refusals leave the requests beside them alone: each is answered as it is alone, and what others send is counted for no key but theirs. */
export const refusalsAtOnce: RunJudge = {
  scope: "run",
  id: "refusals-at-once",
  covers: [requirement],
  *judge(exchanges, { manifest }): Iterable<Occurrence> {
    const own = exchanges.filter((exchange) => exchange.caseId === caseId);
    const company = own.filter(({ label }) => twins.has(label));
    const wrong = company.filter((exchange) => isAnswerOfAnother(exchange, own));
    for (const exchange of company) yield judgeOne(exchange, own, wrong);
    if (manifest.exclusive) yield* judgeCounting(own);
  },
};

function twinsOf(exchange: ExchangeFacts, own: readonly ExchangeFacts[]): readonly ExchangeFacts[] {
  return own.filter(({ label }) => label === twins.get(exchange.label));
}

/** Trouble of the moment is none of the answers to others; how often it comes is judged by SVC-021. */
function isTrouble({ status, failure }: ExchangeFacts): boolean {
  return failure !== null || status === null || status === 429 || status >= 500;
}

function isAnswerOfAnother(exchange: ExchangeFacts, own: readonly ExchangeFacts[]): boolean {
  return !isTrouble(exchange) && twinsOf(exchange, own).every(({ status }) => status !== exchange.status);
}

function judgeOne(exchange: ExchangeFacts, own: readonly ExchangeFacts[], wrong: readonly ExchangeFacts[]): Occurrence {
  const alone = twinsOf(exchange, own);
  const subject = { requirement, exchanges: [exchange.seq, ...alone.slice(0, 1).map(({ seq }) => seq)] };
  if (isTrouble(exchange) || alone.every(isTrouble)) {
    return { ...subject, outcome: "inconclusive", message: "a request in flight with others was not answered, or not alone" };
  }
  if (!wrong.includes(exchange)) return { ...subject, outcome: "pass" };
  return {
    ...subject,
    outcome: "fail",
    // Several at once are no accident.
    conclusive: wrong.length > 1,
    kind: "a request in flight with others is answered otherwise than alone, where some of them are refused",
    expected: [...new Set(alone.map(describeAnswer))].join(" or "),
    observed: `${describeAnswer(exchange)}; ${wrong.length} of those in flight`,
  };
}

/** Between two requests of one window the number falls by one for each that the key sent, whatever others send meanwhile. */
function* judgeCounting(own: readonly ExchangeFacts[]): Iterable<Occurrence> {
  const chat = own.filter(({ endpoint, keyName }) => endpoint === "chat" && keyName === "primary");
  for (const after of chat.filter(({ label }) => label === atOnceLabels.afterwards)) {
    const earlier = chat.filter(({ seq }) => seq < after.seq);
    const [first, second] = earlier.filter(atOnceLabels.alone.has).slice(-2);
    if (first === undefined || second === undefined) continue;
    const fall = readFall([first, second, after]);
    if (fall === null || fall.resets.size > 1 || fall.first !== 1) continue;
    const between = [...earlier.filter(({ seq }) => seq > second.seq), after];
    const sent = between.filter(({ isSuccess }) => isSuccess || !areRefusalsFree(earlier)).length;
    const subject = { requirement, exchanges: [after.seq, second.seq] };
    yield passOrFail(subject, fall.second <= sent, () => ({
      kind: "requests of others are counted for a key that is in flight with them",
      expected: `at most ${sent} fewer remain after ${sent} requests of the key that count`,
      observed: `${fall.second} fewer`,
    }));
  }
}

/** Whether requests that were refused alone, one after another, left the number as it was. */
function areRefusalsFree(earlier: readonly ExchangeFacts[]): boolean {
  const [one, two, three] = earlier.filter((exchange) => refusalLabels.alone.has(exchange) && exchange.status !== 401).slice(-3);
  const fall = one === undefined || two === undefined || three === undefined ? null : readFall([one, two, three]);
  return fall !== null && fall.resets.size === 1 && fall.first === 0 && fall.second === 0;
}
