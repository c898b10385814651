import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { groupBy } from "../../../core/group-by.ts";
import { roundsOf } from "../../judging/rounds-of.ts";

const requirement = "ERR-039";
const caseIds = ["chat/element-rules", "embeddings/element-rules"] as const;

/** The place of the wrong element in a list. */
const places = {
  first: "in the first place",
  middle: "in the middle",
  last: "in the last place",
  late: "at the end of a long list",
} as const;

export type ElementPlace = keyof typeof places;

interface Probe {
  readonly list: string;
  readonly rule: string;
  readonly place: ElementPlace;
}

/** Labels of the cases that spoil one element of a list: `messages role-missing middle`. No part holds a space. */
export const elementLabels = {
  twin: (list: string): string => `${list} twin`,
  longTwin: (list: string): string => `${list} long-twin`,
  probe: {
    label: ({ list, rule, place }: Probe): string => `${list} ${rule} ${place}`,
    /** null: no label of a probe. */
    read: ({ label }: ExchangeFacts): Probe | null => {
      const [list = "", rule = "", place = ""] = label.split(" ");
      return isPlace(place) ? { list, rule, place } : null;
    },
  },
} as const;

function isPlace(word: string): word is ElementPlace {
  return Object.hasOwn(places, word);
}

/**
 * A rule on the elements of a list holds wherever one stands. The specification leaves the treatment of a wrong type open
 * (AMB-05): the service is only compared with itself, so that one that converts or ignores everywhere is not accused.
 */
export const elementRules: RunJudge = {
  scope: "run",
  id: "element-rules",
  covers: [requirement],
  *judge(exchanges): Iterable<Occurrence> {
    for (const id of caseIds) {
      for (const round of lastAnswers(exchanges.filter(({ caseId }) => caseId === id))) yield* judgeRound(round);
    }
  },
};

type PlacedAnswer = readonly [ElementPlace, ExchangeFacts];

/** One rule with its answers, by place. */
interface Rule {
  readonly list: string;
  readonly name: string;
  readonly answers: readonly PlacedAnswer[];
}

function* judgeRound(round: readonly ExchangeFacts[]): Iterable<Occurrence> {
  for (const [list, rules] of groupBy(rulesOf(round), (rule) => rule.list)) {
    const held = rules.map(holdAgainstItself).filter((one) => one !== null);
    const broken = held.filter(({ accepted }) => accepted !== null);
    if (held.length === 0) continue;
    const shown = (broken.length > 0 ? broken : held).slice(0, 3);
    const exchanges = shown.flatMap(({ accepted, refused }) => [...(accepted === null ? [] : [accepted[1].seq]), refused[1].seq]);
    yield passOrFail({ requirement, exchanges }, broken.length === 0, () => ({
      kind: `a rule on the elements of ${list} does not hold wherever the element stands`,
      expected: "the same answer wherever the element stands",
      observed: shown.map(describe).join("; "),
    }));
  }
}

/** A rule that was seen to be kept in one place: there, and where it was not. */
interface HeldRule {
  readonly name: string;
  readonly refused: PlacedAnswer;
  readonly accepted: PlacedAnswer | null;
}

/** null: refused nowhere, so that there is no rule, or answered in one place only. */
function holdAgainstItself({ name, answers }: Rule): HeldRule | null {
  const refused = answers.filter(([, { status }]) => status === 422 || status === 400);
  const accepted = answers.find(([, exchange]) => exchange.isSuccess) ?? null;
  const [first] = refused;
  return first === undefined || refused.length + (accepted === null ? 0 : 1) < 2 ? null : { name, refused: first, accepted };
}

function describe({ name, refused, accepted }: HeldRule): string {
  const where = ([place, exchange]: PlacedAnswer): string => `${describeAnswer(exchange)} ${places[place]}`;
  return `${name}: ${[refused, ...(accepted === null ? [] : [accepted])].map(where).join(", ")}`;
}

/** Answers to a list that was accepted when nothing in it was wrong; others say nothing about the element. */
function rulesOf(round: readonly ExchangeFacts[]): readonly Rule[] {
  const accepted = new Set(round.filter(({ isSuccess }) => isSuccess).map(({ label }) => label));
  const rules = new Map<string, { readonly list: string; readonly name: string; readonly answers: PlacedAnswer[] }>();
  for (const exchange of round) {
    const probe = elementLabels.probe.read(exchange);
    if (probe === null) continue;
    const { list, rule, place } = probe;
    if (!accepted.has(place === "late" ? elementLabels.longTwin(list) : elementLabels.twin(list))) continue;
    const known = rules.get(`${list} ${rule}`) ?? { list, name: rule.replaceAll("-", " "), answers: [] };
    known.answers.push([place, exchange]);
    rules.set(`${list} ${rule}`, known);
  }
  return [...rules.values()];
}

/**
 * A repetition is judged by itself: it begins as the case begins. If a request was sent again for a limit or a reset, the last
 * answer counts.
 */
function lastAnswers(own: readonly ExchangeFacts[]): readonly (readonly ExchangeFacts[])[] {
  const inOrder = own.toSorted((one, other) => one.seq - other.seq);
  const rounds = roundsOf(inOrder, ({ label }) => label === inOrder[0]?.label);
  return rounds.map((round) => [...new Map(round.map((exchange) => [exchange.label, exchange])).values()]);
}
