import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import { curlLine } from "../send/curl-line.ts";
import type { JudgedOccurrence } from "./judge-exchanges.ts";
import { violationOf } from "../judges/subjects.ts";
import { memberAt, showValue } from "../judging/json-value.ts";
import type { SettledRequirement } from "./settle-requirement.ts";

const exchangesListed = 5;

/** A violation with the member that its request spoilt. */
type ToldOccurrence = JudgedOccurrence & { readonly field?: string };

/** A finding before it has its number. */
export type DraftFinding = Omit<Finding, "id">;

/** One finding for each kind of violation of a requirement; equal ones are counted, not repeated. */
export function draftFindings(
  settled: SettledRequirement,
  { bySeq, baseUrl, baselined }: { bySeq: ReadonlyMap<number, Exchange>; baseUrl: string; baselined: boolean },
): readonly DraftFinding[] {
  const { requirement, verdict } = settled;
  const groups = new Map<string, [ToldOccurrence, ...ToldOccurrence[]]>();
  for (const violation of settled.violations) {
    const subject = bySeq.get(violation.exchanges[0] ?? 0);
    const field = namedField(violation, subject);
    const occurrence = field === undefined ? violation : { ...violation, field };
    const key = fingerprint(occurrence, field);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [occurrence]);
    else known.push(occurrence);
  }
  const hasFailure = settled.violations.some((occurrence) => occurrence.outcome === "fail");
  const inOrder = [...groups].toSorted(([one, [a]], [other, [b]]) => (`${a.judge} ${one}` < `${b.judge} ${other}` ? -1 : 1));
  return inOrder.map(([, members]) => {
    const group = gravest(members).toSorted((one, other) => (one.exchanges[0] ?? 0) - (other.exchanges[0] ?? 0));
    const [first, ...others] = group as [ToldOccurrence, ...ToldOccurrence[]];
    const subject = bySeq.get(first.exchanges[0] ?? 0);
    const exchanges = [...new Set(group.flatMap((occurrence) => occurrence.exchanges))];
    // The overlay never turns the verdict on the specification.
    const isFail = verdict === "fail" && requirement.suite !== "convention" && (first.outcome === "fail" || !hasFailure);
    return {
      stage: "conformance",
      requirement: requirement.id,
      check: first.judge,
      level: requirement.level,
      verdict: isFail ? "fail" : "advisory",
      message: describeGroup(first, others) ?? requirement.text,
      spec: citeSpec(requirement),
      sent: subject === undefined ? null : describeSent(subject),
      expected: first.expected ?? requirement.text,
      observed: first.observed ?? first.message ?? "a violation",
      exchanges: exchanges.slice(0, exchangesListed),
      more: Math.max(0, exchanges.length - exchangesListed),
      curl: subject === undefined ? null : curlLine(subject, baseUrl),
      baselined,
    };
  });
}

export function citeSpec({ section, reading }: Requirement): string {
  return reading === null ? section : `${section}; reading ${reading}`;
}

/**
 * Same words: the judge that says them, numbers, quoted values and the field that was spoilt do not make another kind of
 * violation. What is missing in many places is one violation, whatever it is worth in each of them.
 */
function fingerprint({ outcome, message = "", place }: JudgedOccurrence, field: string | undefined): string {
  const words = place === undefined ? message : message.replace(place, "");
  const shape = (field === undefined ? words : words.replace(field, "*")).replaceAll(quoted, '""').replaceAll(/\d+/g, "0");
  return place === undefined ? `${outcome} ${shape}` : shape;
}

/** A value in the words of a judge, which cuts long ones (`showValue`). */
const quoted = /"(?:[^"\\]|\\.)*?(?:"|\\?\.\.\. \(\d+ characters\))/g;

/** The member that a request spoilt, where the words about its answer name it. */
function namedField({ message = "", place }: JudgedOccurrence, subject: Exchange | undefined): string | undefined {
  const field = subject === undefined ? undefined : violationOf(subject)?.field;
  const words = message.replaceAll(quoted, "").split(" ");
  return place === undefined && field !== undefined && words.includes(field) ? field : undefined;
}

/** Failures alone where there are any: an advisory beside them must not look like an accusation. */
function gravest(group: readonly ToldOccurrence[]): readonly ToldOccurrence[] {
  const failing = group.filter((occurrence) => occurrence.outcome === "fail");
  return failing.length > 0 ? failing : group;
}

const placesListed = 3;

/** The words of the first violation, with all the places and fields where it was seen. */
function describeGroup({ message, place, field }: ToldOccurrence, others: readonly ToldOccurrence[]): string | undefined {
  if (message === undefined) return message;
  const fields = [...new Set(others.map((other) => other.field))].filter((other) => other !== undefined && other !== field);
  if (fields.length > 0) return `${message}; so it is for ${list(fields)}`;
  const places = [...new Set([place, ...others.map((other) => other.place)])];
  if (place === undefined || places.length < 2) return message;
  return `${message.replace(place, `each of ${places.length} kinds of responses`)}: ${list(places)}`;
}

function list(words: readonly (string | undefined)[]): string {
  return `${words.slice(0, placesListed).join(", ")}${words.length > placesListed ? " ..." : ""}`;
}

/** `POST /v1/chat/completions with temperature: 2.1` */
export function describeSent(exchange: Exchange): string {
  const { method, path, body } = exchange.request;
  const route = `${method} ${path.length > 200 ? `${path.slice(0, 200)}...` : path}`;
  const violation = violationOf(exchange);
  if (violation?.field !== undefined) {
    const { condition, field } = violation;
    if (condition === "missing-field") return `${route} without ${field}`;
    const value = memberAt(factsOf(exchange).requestObject, field);
    return value === undefined ? `${route} with a bad ${field}` : `${route} with ${field}: ${showValue(value)}`;
  }
  if (violation !== null) return `${route} (${violation.condition.replaceAll("-", " ")})`;
  const text = body?.text;
  if (text === undefined || text === "") return route;
  return `${route} with ${text.length > 160 ? `${text.slice(0, 160)}... (${text.length} characters)` : text}`;
}
