import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/exchange-view.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { atOnceLabels } from "./at-once.ts";
import { readFall } from "./read-fall.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

const caseId = "core/refusals-at-once";
const requirement = "SVC-024";

/** Labels of requests of `core/refusals-at-once` that are refused: one of each kind alone, and several in company. */
export const refusalLabels = {
  alone: (kind: string): string => `first-${kind}`,
  company: (kind: string, copy: number): string => `company-${kind}-${copy}`,
} as const;

/** Refusals leave the requests beside them alone: each is answered as it is alone, and what others send is counted for no key but theirs. */
export const refusalsAtOnce: RunJudge = {
  scope: "run",
  id: "refusals-at-once",
  covers: [requirement],
  *judge(exchanges, { manifest }): Iterable<Occurrence> {
    const own = exchanges.filter((exchange) => exchange.caseId === caseId);
    const company = own.filter(({ label }) => twinOf(label) !== null);
    const wrong = company.filter((exchange) => isAnswerOfAnother(exchange, own));
    for (const exchange of company) yield judgeOne(exchange, own, wrong);
    if (manifest.exclusive) yield* judgeCounting(own);
  },
};

/** The label of the same request, or of one of its kind, alone. */
function twinOf(label: string): string | null {
  const kind = /^company-(.+)-\d+$/.exec(label)?.[1];
  if (kind !== undefined) return refusalLabels.alone(kind);
  return /^(?:chat|embedding)-\d+$/.test(label) ? atOnceLabels.alone(label) : null;
}

/** Trouble of the moment is none of the answers to others; how often it comes is judged by SVC-021. */
function isTrouble({ status, failure }: ExchangeFacts): boolean {
  return failure !== null || status === null || status === 429 || status >= 500;
}

function isAnswerOfAnother(exchange: ExchangeFacts, own: readonly ExchangeFacts[]): boolean {
  const twins = own.filter(({ label }) => label === twinOf(exchange.label));
  return !isTrouble(exchange) && twins.every(({ status }) => status !== exchange.status);
}

function judgeOne(exchange: ExchangeFacts, own: readonly ExchangeFacts[], wrong: readonly ExchangeFacts[]): Occurrence {
  const twins = own.filter(({ label }) => label === twinOf(exchange.label));
  const subject = { requirement, exchanges: [exchange.seq, ...twins.slice(0, 1).map(({ seq }) => seq)] };
  if (isTrouble(exchange) || twins.every(isTrouble)) {
    return { ...subject, outcome: "inconclusive", message: "a request in flight with others was not answered, or not alone" };
  }
  if (!wrong.includes(exchange)) return { ...subject, outcome: "pass" };
  return {
    ...subject,
    outcome: "fail",
    // Several at once are no accident.
    conclusive: wrong.length > 1,
    kind: "a request in flight with others is answered otherwise than alone, where some of them are refused",
    expected: [...new Set(twins.map(describeAnswer))].join(" or "),
    observed: `${describeAnswer(exchange)}; ${wrong.length} of those in flight`,
  };
}

/** Between two requests of one window the number falls by one for each that the key sent, whatever others send meanwhile. */
function* judgeCounting(own: readonly ExchangeFacts[]): Iterable<Occurrence> {
  const chat = own.filter(({ endpoint, keyName }) => endpoint === "chat" && keyName === "primary");
  for (const after of chat.filter(({ label }) => label === atOnceLabels.afterwards)) {
    const earlier = chat.filter(({ seq }) => seq < after.seq);
    const [first, second] = earlier.filter(({ label }) => label.startsWith(atOnceLabels.alone(""))).slice(-2);
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
  const [one, two, three] = earlier
    .filter(({ label, status }) => label.startsWith(refusalLabels.alone("")) && status !== 401)
    .slice(-3);
  const fall = one === undefined || two === undefined || three === undefined ? null : readFall([one, two, three]);
  return fall !== null && fall.resets.size === 1 && fall.first === 0 && fall.second === 0;
}
