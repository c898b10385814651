import type { PassiveCounts } from "../../conformance/verdict/passive-validator.ts";
import type { Finding } from "../../core/result/finding.ts";
import { findingId } from "../../core/result/finding-id.ts";
import type { LoadProfileResult, LoadResult } from "../../core/result/load-result.ts";
import { repeatedId } from "../../core/result/repeated-id.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import type { PassiveSummary } from "../../core/result/result.ts";
import { findViolations } from "./find-violations.ts";

/** The measurements of a run under load. */
export interface MeasuredLoad {
  readonly load: LoadResult | null;
  /** The violations that limit checks proved. */
  readonly loadFindings: readonly Finding[];
  /** Violations by single answers; null if none was seen. */
  readonly passive: PassiveCounts | null;
}

/** Of a run without load. */
export const noLoad: MeasuredLoad = { load: null, loadFindings: [], passive: null };

/** Limits that were broken under load, and responses under load that violate the specification; gates are no defects that join. */
export function findLoadFindings(
  { load, loadFindings }: MeasuredLoad,
  passive: PassiveSummary,
  catalogue: readonly Requirement[],
): readonly Finding[] {
  const caches = (load?.profiles ?? []).flatMap(describeCache);
  // Each run of a repeated profile asks.
  const cached = caches.filter(({ id }, place) => caches.findIndex((other) => other.id === id) === place);
  const violations = findViolations(passive, catalogue, "under load");
  // The probe of each run asks, and may see what answers of the load show, too.
  const others = joinLoadFindings(violations, loadFindings);
  return [...cached, ...others];
}

/** Latencies of a target that answers from a cache of responses are those of the cache. */
function describeCache(profile: LoadProfileResult): readonly Finding[] {
  const { cacheAudit } = profile;
  if (cacheAudit?.verdict !== "cached") return [];
  const id = repeatedId(profile);
  return [
    {
      id: findingId("observations.response-cache", id, ""),
      stage: "load",
      requirement: null,
      also: [],
      check: "observations.response-cache",
      level: null,
      verdict: "advisory",
      message: `load ${id}: the target answers repeated prompts from a cache of responses`,
      spec: null,
      sent: "the same prompts again beside fresh ones",
      expected: "an answer that is made for its request",
      observed: cacheAudit.signs.join("; "),
      forms: [],
      exchanges: [],
      more: 0,
      curl: null,
      baselined: false,
    },
  ];
}

/**
 * A defect that shows several times is one finding: that of the conformance stage, else the first that fails, with what was seen of it under
 * load.
 */
export function joinLoadFindings(found: readonly Finding[], underLoad: readonly Finding[]): readonly Finding[] {
  const all = [...found];
  for (const again of underLoad) {
    const place = all.findIndex((one) => one.id === again.id && one.stage !== "harness" && holds(one, again));
    const head = all[place];
    if (head === undefined) all.push(again);
    else all[place] = isWorse(again, head) ? joinFinding(again, head) : joinFinding(head, again);
  }
  // A judge that failed in several stages is one finding as well.
  return all.filter(({ id, stage }, index) => stage !== "harness" || all.findIndex((other) => other.id === id) === index);
}

const isWorse = (one: Finding, other: Finding): boolean => one.verdict === "fail" && other.verdict !== "fail";

/** Rows of conformance say of a finding of theirs what it is: a failure under load is no part of an advisory. */
const holds = (one: Finding, again: Finding): boolean => one.stage === "load" || !isWorse(again, one);

const mostForms = 12;

function joinFinding(head: Finding, again: Finding): Finding {
  return {
    ...head,
    also: [...new Set([...head.also, ...again.also])],
    forms: [...formsOf(head), ...formsOf(again)].slice(0, mostForms),
    more: head.more + again.exchanges.length + again.more,
  };
}

/** The finding itself is one, where it lists none. */
function formsOf({ stage, forms, sent, observed, exchanges: [exchange = 0] }: Finding): Finding["forms"] {
  if (forms.length > 0) return forms;
  return [{ sent: stage === "load" ? (sent ?? "under load") : "in conformance", observed, exchange, count: 1 }];
}
