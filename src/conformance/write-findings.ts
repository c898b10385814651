import type { Exchange } from "../core/exchange.ts";
import type { Finding } from "../core/finding.ts";
import type { Requirement } from "../core/requirement.ts";
import { curlLine } from "./curl-line.ts";
import { requestObject } from "./exchange-view.ts";
import type { JudgedOccurrence } from "./judge-exchanges.ts";
import { violationOf } from "./judges/subjects.ts";
import { memberAt, showValue } from "./json-value.ts";
import type { SettledRequirement } from "./settle-requirement.ts";

const exchangesListed = 5;

/** A finding before it has its number. */
export type DraftFinding = Omit<Finding, "id">;

/** One finding for each kind of violation of a requirement; equal ones are counted, not repeated. */
export function draftFindings(
  settled: SettledRequirement,
  { bySeq, baseUrl, baselined }: { bySeq: ReadonlyMap<number, Exchange>; baseUrl: string; baselined: boolean },
): readonly DraftFinding[] {
  const { requirement, verdict } = settled;
  const groups = new Map<string, JudgedOccurrence[]>();
  for (const occurrence of settled.violations) {
    const key = fingerprint(occurrence);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [occurrence]);
    else known.push(occurrence);
  }
  const hasFailure = settled.violations.some((occurrence) => occurrence.outcome === "fail");
  return [...groups.keys()].sort().map((key) => {
    const group = gravest(groups.get(key) ?? []).toSorted((one, other) => (one.exchanges[0] ?? 0) - (other.exchanges[0] ?? 0));
    const [first, ...others] = group as [JudgedOccurrence, ...JudgedOccurrence[]];
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
 * Same judge, same words: numbers and quoted values do not make another kind of violation. What is missing in many places is
 * one violation, whatever it is worth in each of them.
 */
function fingerprint({ judge, outcome, message = "", place }: JudgedOccurrence): string {
  const words = place === undefined ? message : message.replace(place, "");
  const shape = words.replaceAll(/"[^"]*"/g, '""').replaceAll(/\d+/g, "0");
  return place === undefined ? `${judge} ${outcome} ${shape}` : `${judge} ${shape}`;
}

/** Failures alone where there are any: an advisory beside them must not look like an accusation. */
function gravest(group: readonly JudgedOccurrence[]): readonly JudgedOccurrence[] {
  const failing = group.filter((occurrence) => occurrence.outcome === "fail");
  return failing.length > 0 ? failing : group;
}

const placesListed = 3;

/** The words of the first violation, with all the places where it was seen. */
function describeGroup({ message, place }: JudgedOccurrence, others: readonly JudgedOccurrence[]): string | undefined {
  const places = [...new Set([place, ...others.map((other) => other.place)])];
  if (message === undefined || place === undefined || places.length < 2) return message;
  const words = message.replace(place, `each of ${places.length} kinds of responses`);
  return `${words}: ${places.slice(0, placesListed).join(", ")}${places.length > placesListed ? " ..." : ""}`;
}

/** `POST /v1/chat/completions with temperature: 2.1` */
export function describeSent(exchange: Exchange): string {
  const { method, path, body } = exchange.request;
  const route = `${method} ${path.length > 200 ? `${path.slice(0, 200)}...` : path}`;
  const violation = violationOf(exchange);
  if (violation?.field !== undefined) {
    const { condition, field } = violation;
    if (condition === "missing-field") return `${route} without ${field}`;
    const value = memberAt(requestObject(exchange), field);
    return value === undefined ? `${route} with a bad ${field}` : `${route} with ${field}: ${showValue(value)}`;
  }
  if (violation !== null) return `${route} (${violation.condition.replaceAll("-", " ")})`;
  const text = body?.text;
  if (text === undefined || text === "") return route;
  return `${route} with ${text.length > 160 ? `${text.slice(0, 160)}... (${text.length} characters)` : text}`;
}
