import { declaredLimit } from "../../core/declared-limit.ts";
import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Manifest } from "../../core/manifest.ts";
import { suiteIds, type SuiteId } from "../../core/result/requirement.ts";
import { findUnmetNeed, type Unmet } from "./case-needs.ts";
import { isOperationDeclared } from "../../core/is-operation-declared.ts";
import type { Case } from "./case.ts";
import { HarnessFault } from "../judging/harness-fault.ts";

/** The selection of a person: suites, single cases or single requirements by id; all empty means everything. */
export interface Selection {
  readonly suites: readonly SuiteId[];
  readonly cases: readonly string[];
  readonly requirements?: readonly string[];
}

export interface ConformancePlan {
  readonly cases: readonly Case[];
  /** Cases that cannot run, with the reason that their requirements inherit. */
  readonly skipped: readonly { readonly case: Case; readonly unmet: Unmet }[];
  /** Requirement to reason, for those that no runnable case covers. */
  readonly untested: ReadonlyMap<string, Unmet>;
  readonly suites: readonly SuiteId[];
  readonly cost: PlannedCost;
}

export interface PlannedCost {
  readonly requests: number;
  readonly requestsByEndpoint: Readonly<Partial<Record<EndpointId | "other", number>>>;
  readonly tokens: number;
  readonly images: number;
  readonly audioSeconds: number;
  /** Upper bound in US cents at the manifest's prices, all tokens counted as completion tokens. */
  readonly worstCents: number;
  /** At the declared requests per minute of one endpoint (no wait where neither it nor a plan is); endpoints run side by side. */
  readonly minutes: number;
}

export function planConformance(cases: readonly Case[], manifest: Manifest, selection: Selection): ConformancePlan {
  const known = new Set<string>();
  for (const { id } of cases) {
    if (known.has(id)) throw new HarnessFault(`two cases are named ${id}`);
    known.add(id);
  }
  const suites = selection.suites.length > 0 ? selection.suites : suiteIds;
  const { requirements = [] } = selection;
  // A row on errors belongs to another suite than the cases that ask for it; a row on all answers is asked for by no case.
  const isSuiteAsked = requirements.length === 0 || requirements.some((id) => !cases.some(({ covers }) => covers.includes(id)));
  const isWanted = ({ suite, covers }: Case): boolean =>
    covers.some((id) => requirements.includes(id)) || (isSuiteAsked && suites.includes(suite));
  const wanted = cases.filter((one) => (selection.cases.length === 0 || selection.cases.includes(one.id)) && isWanted(one));
  const runnable: Case[] = [];
  const skipped: { case: Case; unmet: Unmet }[] = [];
  for (const one of wanted) {
    const unmet = findUnmetNeed(one.needs, manifest) ?? findAbsentOperation(one, manifest);
    if (unmet === null) runnable.push(one);
    else skipped.push({ case: one, unmet });
  }
  const lacking = (one: Case, row: string): Unmet | null => findUnmetNeed(one.needsOfRows?.[row] ?? [], manifest);
  const covered = new Set(runnable.flatMap((one) => one.covers.filter((row) => lacking(one, row) === null)));
  const untested = new Map<string, Unmet>();
  for (const one of runnable) {
    for (const row of one.covers) {
      const unmet = lacking(one, row);
      if (unmet !== null && !covered.has(row)) untested.set(row, unmet);
    }
  }
  for (const { case: one, unmet } of skipped) {
    for (const row of one.covers) {
      if (covered.has(row) || untested.has(row)) continue;
      // The manifest lacks the needs of the row beside those of the case.
      const ofRow = one.needsOfRows?.[row] ?? [];
      untested.set(row, ofRow.length === 0 ? unmet : (findUnmetNeed([...one.needs, ...ofRow], manifest) ?? unmet));
    }
  }
  for (const [row, others] of coveringSuites(cases.filter((one) => !wanted.includes(one)))) {
    if (!covered.has(row) && !untested.has(row)) {
      untested.set(row, { reason: "not-selected", text: `it is asked for by ${[...others].join(", ")}` });
    }
  }
  return { cases: runnable, skipped, untested, suites, cost: sumCost(runnable, manifest) };
}

/** A row may be asked for by the cases of other suites than its own: broken JSON of chat is a row on errors. */
function coveringSuites(cases: readonly Case[]): ReadonlyMap<string, ReadonlySet<SuiteId>> {
  const suitesOf = new Map<string, Set<SuiteId>>();
  for (const { suite, covers } of cases) {
    for (const row of covers) suitesOf.set(row, (suitesOf.get(row) ?? new Set()).add(suite));
  }
  return suitesOf;
}

/** The operation that a whole suite is about; what its cases send to others only prepares. */
const subjectOf: Readonly<Partial<Record<SuiteId, EndpointId>>> = {
  chat: "chat",
  stream: "chat",
  convention: "chat",
  embeddings: "embeddings",
  images: "images",
  audio: "transcriptions",
  models: "models",
  usage: "usage",
};

/** A case is pointless when the operation that it is about, or every operation that it uses, is declared absent. */
function findAbsentOperation(one: Case, manifest: Manifest): Unmet | null {
  const isAbsent = (id: EndpointId): boolean => !isOperationDeclared(id, manifest);
  const subject = subjectOf[one.suite];
  const used = Object.keys(one.cost.requests).filter((id): id is EndpointId => id !== "other");
  const absent = subject !== undefined && isAbsent(subject) ? [subject] : used.every(isAbsent) ? used : [];
  return absent.length > 0
    ? { reason: "not-declared", text: `the manifest says that the target has no ${absent.join(", ")}` }
    : null;
}

function sumCost(cases: readonly Case[], manifest: Manifest): PlannedCost {
  const byEndpoint: Partial<Record<EndpointId | "other", number>> = {};
  let [requests, tokens, images, audioSeconds, waitSeconds] = [0, 0, 0, 0, 0];
  for (const { cost } of cases) {
    for (const [id, count] of Object.entries(cost.requests) as [EndpointId | "other", number][]) {
      byEndpoint[id] = (byEndpoint[id] ?? 0) + count;
      requests += count;
    }
    tokens += cost.tokens;
    images += cost.images ?? 0;
    audioSeconds += cost.audioSeconds ?? 0;
    waitSeconds += cost.waitSeconds ?? 0;
  }
  const { prices } = manifest;
  const tokenUsd = (tokens / 1e6) * Math.max(prices.perMillionPromptTokens, prices.perMillionCompletionTokens);
  const worstUsd = tokenUsd + images * prices.perImage + (audioSeconds / 60) * prices.perAudioMinute;
  const perMinute = declaredLimit(manifest) ?? Infinity;
  const busiest = Math.max(0, ...Object.entries(byEndpoint).map(([id, count]) => (id === "other" ? 0 : count)));
  return {
    requests,
    requestsByEndpoint: byEndpoint,
    tokens,
    images,
    audioSeconds,
    worstCents: Math.ceil(worstUsd * 100),
    minutes: Math.max(0, Math.ceil(busiest / perMinute) - 1) + Math.round(waitSeconds / 6) / 10,
  };
}
