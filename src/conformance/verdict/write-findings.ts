import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import { headerValues } from "../../core/exchange/headers/header-list.ts";
import type { Finding, FindingForm } from "../../core/result/finding.ts";
import { findingId } from "../../core/result/finding-id.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import { curlLine } from "./curl-line.ts";
import { violationOf } from "../judging/subjects.ts";
import { messageOf } from "../judging/judge.ts";
import { memberAt, showValue } from "../judging/json-value.ts";
import { attributeDefects } from "./attribute-defects.ts";
import type { AttributedViolation } from "./attributed-violation.ts";
import type { SettledRequirement } from "./settle-requirement.ts";
import { groupBy } from "../../core/group-by.ts";

const exchangesListed = 5;
const formsListed = 12;

/** One finding a defect, in the order of the catalogue: under the requirement that it belongs to, with the others that it violates. */
export function writeFindings(
  settled: readonly SettledRequirement[],
  { bySeq, baseUrl }: { readonly bySeq: ReadonlyMap<number, Exchange>; readonly baseUrl: string },
): readonly Finding[] {
  const defects = groupBy(attributeDefects(settled, bySeq), ({ defect: { owner, kind } }) => `${owner} ${kind}`);
  const order = new Map(settled.map(({ requirement }, index) => [requirement.id, index]));
  const open = [...defects.values()].filter((members) => members.every(({ occurrence }) => occurrence.findings === undefined));
  const findings = open.map((members) => writeFinding(members, order, baseUrl));
  const place = ({ requirement }: Finding): number => order.get(requirement ?? "") ?? order.size;
  return findings.toSorted((one, other) => place(one) - place(other) || (one.id < other.id ? -1 : 1));
}

function writeFinding(
  members: readonly [AttributedViolation, ...AttributedViolation[]],
  order: ReadonlyMap<string, number>,
  baseUrl: string,
): Finding {
  const { owner, kind } = members[0].defect;
  const failing = members.filter(isFailing);
  // Failures alone where there are any: an advisory beside them must not look like an accusation.
  const shown = (failing.length > 0 ? failing : members).toSorted(
    (one, other) =>
      Number(one.row.requirement.id !== owner) - Number(other.row.requirement.id !== owner) || seqOf(one) - seqOf(other),
  );
  const [first = members[0]] = shown;
  const { requirement } = first.row;
  const { subject, occurrence } = first;
  const bySeq = shown.toSorted((one, other) => seqOf(one) - seqOf(other));
  const exchanges = [...new Set(bySeq.flatMap((member) => member.occurrence.exchanges))];
  const rows = [...new Set(members.map((member) => member.row.requirement.id))].filter((id) => id !== requirement.id);
  return {
    id: findingId(owner, kind),
    stage: "conformance",
    requirement: requirement.id,
    also: rows.toSorted((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0)),
    check: occurrence.judge,
    level: requirement.level,
    verdict: failing.length > 0 ? "fail" : "advisory",
    message: describe(first, shown) ?? requirement.text,
    spec: citeSpec(requirement),
    sent: subject === undefined ? null : describeSent(subject),
    expected: occurrence.expected ?? requirement.text,
    observed: occurrence.observed ?? occurrence.message ?? "a violation",
    forms: listForms(bySeq),
    exchanges: exchanges.slice(0, exchangesListed),
    more: Math.max(0, exchanges.length - exchangesListed),
    curl: subject === undefined ? null : curlLine(subject, baseUrl),
    baselined: false,
  };
}

/** The overlay never turns the verdict on the specification; a lenient reading fails a row only where `--strict` made it. */
function isFailing({ row, occurrence }: AttributedViolation): boolean {
  if (row.verdict !== "fail" || row.requirement.suite === "convention") return false;
  return occurrence.outcome === "fail" || row.violations.every(({ outcome }) => outcome !== "fail");
}

function seqOf({ occurrence }: AttributedViolation): number {
  return occurrence.exchanges[0] ?? 0;
}

/** The forms of request and answer, if they are not the same everywhere; empty if they are. */
function listForms(members: readonly AttributedViolation[]): readonly FindingForm[] {
  const forms = new Map<string, { sent: string; observed: string; exchanges: Set<number> }>();
  for (const member of members) {
    const { subject, occurrence } = member;
    const sent = subject === undefined ? (occurrence.place ?? "") : describeSent(subject, 100);
    const observed = occurrence.observed ?? occurrence.message ?? "a violation";
    const form = forms.get(sent) ?? { sent, observed, exchanges: new Set() };
    forms.set(sent, form);
    form.exchanges.add(seqOf(member));
  }
  if (forms.size < 2) return [];
  return [...forms.values()].slice(0, formsListed).map(({ sent, observed, exchanges }) => ({
    sent,
    observed,
    exchange: [...exchanges][0] ?? 0,
    count: exchanges.size,
  }));
}

export function citeSpec({ section, reading }: Requirement): string {
  return reading === null ? section : `${section}; reading ${reading}`;
}

const placesListed = 3;

/** The words of the first violation, with all the places and fields where it was seen. */
function describe({ occurrence }: AttributedViolation, all: readonly AttributedViolation[]): string | undefined {
  const { message, place, field } = occurrence;
  if (message === undefined) return message;
  const fields = new Set(all.map((other) => other.occurrence.field));
  const others = [...fields].filter((other) => other !== undefined && other !== field);
  if (field !== undefined && others.length > 0) return `${message}; also for ${list(others)}`;
  const places = [...new Set(all.flatMap((other) => other.occurrence.place ?? []))];
  if (place === undefined || places.length < 2) return message;
  return `${messageOf({ ...occurrence, place: `each of ${places.length} kinds of responses` })}: ${list(places)}`;
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
