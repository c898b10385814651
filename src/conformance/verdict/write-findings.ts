import type { RequirementResult } from "../../core/result/conformance-result.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import { headerValues } from "../../core/exchange/headers/header-list.ts";
import type { Finding, FindingForm } from "../../core/result/finding.ts";
import { findingId } from "../../core/result/finding-id.ts";
import { nameUnseen } from "../../core/name-unseen.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import { curlLine } from "./curl-line.ts";
import { violationOf } from "../judging/subjects.ts";
import { messageOf } from "../judging/judge.ts";
import { memberAt, showValue } from "../judging/json-value.ts";
import { showAnswer } from "../judging/show-answer.ts";
import { attributeDefects } from "./attribute-defects.ts";
import type { Defect } from "./follow-root-causes.ts";
import { type JudgedViolation, subjectOf } from "./judged-occurrence.ts";
import type { SettledRecord } from "./settled-record.ts";
import { nameDefect, separateInstances } from "./separate-instances.ts";
import { groupBy } from "../../core/group-by.ts";

const exchangesListed = 5;
const formsListed = 12;

/** One finding a defect, in the order of the catalogue: under the requirement that it belongs to, with the others that it violates. */
export function writeFindings(record: SettledRecord, baseUrl: string): readonly Finding[] {
  const { defects, words: instances } = separateInstances(attributeDefects(record), record);
  const groups = groupBy([...defects], ([, defect]) => nameDefect(defect));
  const order = new Map([...record.rows.keys()].map((id, index) => [id, index]));
  const findings = [...groups.values()].flatMap((group) => {
    const members = group.map(([violation]) => violation);
    // Another stage has reported a part of it, with its proof.
    if (members.some((violation) => violation.findings !== undefined)) return [];
    return [writeFinding(group[0][1], members, { record, order, instances, baseUrl })];
  });
  const place = ({ requirement }: Finding): number => order.get(requirement ?? "") ?? order.size;
  return findings.toSorted((one, other) => place(one) - place(other) || (one.id < other.id ? -1 : 1));
}

interface Context {
  readonly record: SettledRecord;
  /** Places of the rows in the catalogue. */
  readonly order: ReadonlyMap<string, number>;
  /** By name of a defect, the words for the instances that show it. */
  readonly instances: ReadonlyMap<string, string>;
  readonly baseUrl: string;
}

function writeFinding(
  defect: Defect,
  members: readonly JudgedViolation[],
  { record: { rows, bySeq }, order, instances, baseUrl }: Context,
): Finding {
  const { owner } = defect;
  const instance = instances.get(nameDefect(defect));
  const failing = members.filter((violation) => isFailing(violation, rows.get(violation.requirement)!));
  // Failures alone where there are any: an advisory beside them must not look like an accusation.
  const shown = (failing.length > 0 ? failing : members).toSorted(
    (one, other) => Number(one.requirement !== owner) - Number(other.requirement !== owner) || seqOf(one) - seqOf(other),
  );
  const first = shown[0]!;
  const row = rows.get(first.requirement)!;
  const subject = subjectOf(first, bySeq);
  const inOrder = shown.toSorted((one, other) => seqOf(one) - seqOf(other));
  const exchanges = [...new Set(inOrder.flatMap((violation) => violation.exchanges))];
  const others = [...new Set(members.map(({ requirement }) => requirement))].filter((id) => id !== row.id);
  return {
    id: findingId(owner, defect.kind),
    stage: "conformance",
    requirement: row.id,
    also: others.toSorted((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0)),
    check: first.judge,
    level: row.level,
    verdict: failing.length > 0 ? "fail" : "advisory",
    message: nameUnseen(`${describe(first, shown) ?? row.text}${instance === undefined ? "" : `; ${instance}`}`),
    spec: citeSpec(row),
    sent: subject === undefined ? null : describeSent(subject),
    expected: first.expected ?? row.text,
    observed: withAnswer(first, subject),
    forms: listForms(inOrder, bySeq),
    exchanges: exchanges.slice(0, exchangesListed),
    more: Math.max(0, exchanges.length - exchangesListed),
    curl: subject === undefined ? null : curlLine(subject, baseUrl),
    baselined: false,
  };
}

/** Begins with what came: the place at fault, then the answer that it stands in, unless that is what was observed. */
function withAnswer({ observed, message = "a violation", exchanges }: JudgedViolation, subject: Exchange | undefined): string {
  const seen = observed ?? message;
  if (subject === undefined || exchanges.length !== 1) return nameUnseen(seen);
  const answer = showAnswer(factsOf(subject));
  if (observed === undefined || observed === message) return answer;
  return nameUnseen(seen.includes(answer) ? seen : `${seen}; the answer: ${answer}`);
}

/** The overlay never turns the verdict on the specification; a lenient reading fails a row only where `--strict` made it. */
function isFailing({ outcome }: JudgedViolation, { verdict, suite, violated }: RequirementResult): boolean {
  return verdict === "fail" && suite !== "convention" && (outcome === "fail" || violated === 0);
}

function seqOf({ exchanges }: JudgedViolation): number {
  return exchanges[0] ?? 0;
}

/** The forms of request and answer, if they are not the same everywhere; empty if they are. */
function listForms(violations: readonly JudgedViolation[], bySeq: SettledRecord["bySeq"]): readonly FindingForm[] {
  const forms = new Map<string, { sent: string; observed: string; exchanges: Set<number> }>();
  for (const violation of violations) {
    const subject = subjectOf(violation, bySeq);
    const sent = subject === undefined ? (violation.place ?? "") : describeSent(subject, 100);
    const observed = nameUnseen(violation.observed ?? violation.message ?? "a violation");
    const form = forms.get(sent) ?? { sent, observed, exchanges: new Set() };
    forms.set(sent, form);
    form.exchanges.add(seqOf(violation));
  }
  if (forms.size < 2) return [];
  return [...forms.values()].slice(0, formsListed).map(({ sent, observed, exchanges }) => ({
    sent,
    observed,
    exchange: [...exchanges][0] ?? 0,
    count: exchanges.size,
  }));
}

export function citeSpec({ section, reading }: Pick<Requirement, "section" | "reading">): string {
  return reading === null ? section : `${section}; reading ${reading}`;
}

const placesListed = 3;

/** The words of the first violation, with all the places and fields where it was seen. */
function describe(first: JudgedViolation, all: readonly JudgedViolation[]): string | undefined {
  const { message, place, field } = first;
  if (message === undefined) return message;
  const fields = new Set(all.map((other) => other.field));
  const others = [...fields].filter((other) => other !== undefined && other !== field);
  if (field !== undefined && others.length > 0) return `${message}; also for ${list(others)}`;
  const places = [...new Set(all.flatMap((other) => other.place ?? []))];
  if (place === undefined || places.length < 2) return message;
  return `${messageOf({ ...first, place: `each of ${places.length} kinds of responses` })}: ${list(places)}`;
}

function list(words: readonly (string | undefined)[]): string {
  return `${words.slice(0, placesListed).join(", ")}${words.length > placesListed ? " ..." : ""}`;
}

/** `POST /v1/chat/completions with temperature: 2.1` */
export function describeSent(exchange: Exchange, charactersShown = 160): string {
  const { method, path, body } = exchange.request;
  const route = `${method} ${path.length > 200 ? `${path.slice(0, 200)}...` : path}`;
  const violation = violationOf(exchange);
  if (violation?.field !== undefined) {
    const { condition, field } = violation;
    if (condition === "missing-field") return `${route} without ${field}`;
    const value = memberAt(factsOf(exchange).requestObject, field);
    return value === undefined ? `${route} with a bad ${field}` : `${route} with ${field}: ${showValue(value)}`;
  }
  if (violation !== null) {
    // Of a credential the form decides: a valid key without its scheme is no unknown key. The record shows keys by name.
    const credential =
      violation.condition === "bad-credentials" ? headerValues(exchange.request.headers, "authorization")[0] : undefined;
    return `${route} (${violation.condition.replaceAll("-", " ")}${credential === undefined ? "" : `, authorization: ${credential}`})`;
  }
  const text = body?.text;
  if (text === undefined || text === "") return route;
  return `${route} with ${text.length > charactersShown ? `${text.slice(0, charactersShown)}... (${text.length} characters)` : text}`;
}
