import type { Manifest } from "../../src/core/manifest.ts";
import { examSuites } from "../../src/core/result/exam-suites.ts";
import type { SuiteId } from "../../src/core/result/requirement.ts";
import type { Verdict } from "../../src/core/result/verdict.ts";
import type { Mutant, SwitchArea, Variant } from "../../src/reference/switches/switch.ts";
import { allCases } from "../../suites/all-cases.ts";
import { casesThatJudge } from "./cases-that-judge.ts";
import { examineHealthy } from "./examine-healthy.ts";
import { catalogue, type Examined, type ExamineOptions, examineReference } from "./examine-reference.ts";

/** Suites in which a defect of an area can show; ASSAY_TEST_ALL=1 runs all of them for every switch. */
const suitesByArea: Readonly<Record<SwitchArea, readonly SuiteId[]>> = {
  auth: ["core", "chat", "stream", "models", "scopes", "faults"],
  errors: ["core", "chat", "stream", "embeddings", "images", "audio", "usage", "settings", "scopes", "faults", "limits"],
  chat: ["core", "chat", "stream", "usage", "convention"],
  stream: ["core", "chat", "stream", "usage", "convention", "limits"],
  embeddings: ["core", "embeddings", "models", "usage"],
  images: ["core", "images", "models", "usage", "spend"],
  audio: ["core", "audio", "models", "usage", "spend"],
  models: ["core", "chat", "embeddings", "models"],
  usage: ["core", "usage"],
  settings: ["core", "settings", "scopes", "spend"],
  headers: ["core", "chat", "stream", "models", "settings", "spend", "faults", "limits"],
  limits: ["core", "chat", "settings", "spend"],
  burst: ["core", "chat", "settings"],
  spend: ["core", "spend", "faults", "settings"],
  tokens: ["core", "chat", "embeddings"],
  transport: ["core", "chat", "stream", "convention", "models", "embeddings", "images", "audio", "usage"],
  op: [],
};

const levels = new Map(catalogue.map((row) => [row.id, row.level]));
const suiteOf = new Map(catalogue.map((row) => [row.id, row.suite]));
let judging: ReadonlyMap<string, readonly string[]> | null = null;

function suitesFor(area: SwitchArea): readonly SuiteId[] {
  return process.env["ASSAY_TEST_ALL"] === "1" ? [] : suitesByArea[area];
}

export interface MatrixOutcome {
  /** Declared violations that were not found. */
  readonly survived: readonly string[];
  /** Accusations that nobody declared. */
  readonly undeclared: readonly string[];
  /** MUSTs that a lawful variant lost although it does not declare so, and rows that it leaves inconclusive. */
  readonly lost: readonly string[];
}

/** Rows of these suites (none: all) that this stage judges on the healthy service; others belong to the limits stage. */
function isJudgedHere(id: string, base: Examined, suites: readonly SuiteId[]): boolean {
  const verdict = base.verdicts.get(id);
  const isSelected = suites.length === 0 || suites.includes(suiteOf.get(id) ?? "core");
  return isSelected && verdict !== undefined && !["untested", "not-applicable", "excluded"].includes(verdict);
}

/** Most cases that judge a row see the same of it: a few that lie apart show what is wrong in many answers. */
const casesPerRow = 5;

/**
 * Whether a mutant is reported, asked in turn of the cases that cover the rows it declares, of a few of those that judge them on the
 * healthy service, of those that cover its consequences, which takes a tenth of the time, and of all suites of its area where none
 * of these is enough: some defects show only beside other cases.
 */
export async function examineKill(mutant: Mutant): Promise<MatrixOutcome> {
  const parts = [
    casesCovering(mutant.violates),
    await someCasesJudging(mutant.violates),
    casesCovering(mutant.mayAlsoFail ?? []),
  ];
  for (const cases of parts.filter(({ length }) => length > 0)) {
    const outcome = await judgeMutant(mutant, { cases });
    if (outcome.survived.length === 0) return outcome;
  }
  return examineMutant(mutant);
}

function casesCovering(rows: readonly string[]): readonly string[] {
  return allCases.filter(({ covers }) => covers.some((id) => rows.includes(id))).map(({ id }) => id);
}

/** Of rows that belong to the limits stage only, and so to no case: the first case of each suite, which must accuse nothing. */
async function someCasesJudging(rows: readonly string[]): Promise<readonly string[]> {
  judging ??= casesThatJudge(await examineHealthy());
  const byRow = judging;
  const cases = new Set(rows.flatMap((id) => spread(byRow.get(id) ?? [], casesPerRow)));
  return cases.size > 0 ? [...cases] : firstCases;
}

const firstCases: readonly string[] = [...new Map(allCases.toReversed().map(({ suite, id }) => [suite, id])).values()];

/** `count` items that lie apart, the first among them. */
function spread<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]!);
}

/** The same over all suites of the area, in which it must accuse no row that it does not declare. */
export async function examineMutant(mutant: Mutant): Promise<MatrixOutcome> {
  return judgeMutant(mutant, { suites: suitesFor(mutant.area) });
}

/** Whether nothing that conformance sends shows it. */
export function needsOtherStage({ needs = [] }: Mutant): boolean {
  return needs.includes("stage:limits") || needs.includes("stage:load");
}

async function judgeMutant(mutant: Mutant, part: Pick<ExamineOptions, "suites" | "cases">): Promise<MatrixOutcome> {
  const base = await examineHealthy();
  const changed = await examineReference({ ...part, mutants: [mutant.id], manifest: withPatience(mutant) });
  // That an answer is none of those that may come is said beside what is wrong with it in particular.
  const allowed = new Set([...mutant.violates, ...(mutant.mayAlsoFail ?? []), "SVC-023"]);
  const needsLimits = needsOtherStage(mutant);
  const wanted = needsLimits ? [] : mutant.violates.filter((id) => isJudgedHere(id, base, suitesFor(mutant.area)));
  return {
    survived: wanted.filter((id) => !isAccused(changed.verdicts.get(id))).map((id) => describe(id, changed)),
    undeclared: accusedBeyond(base, changed, allowed),
    lost: [],
  };
}

/** No suites: all of them. */
export async function examineVariant(ids: readonly Variant[], suites: readonly SuiteId[] = []): Promise<MatrixOutcome> {
  const [first] = ids;
  if (first === undefined) return { survived: [], undeclared: [], lost: [] };
  const base = await examineHealthy(suites);
  const changed = await examineReference({ suites, variants: ids.map(({ id }) => id) });
  const allowed = new Set(ids.flatMap(({ changes }) => changes ?? []));
  const lost = [...changed.verdicts]
    .filter(([id, verdict]) => base.verdicts.get(id) === "pass" && isLost(id, verdict))
    .filter(([id, verdict]) => !isAccused(verdict) && (!allowed.has(id) || verdict === "inconclusive"))
    .map(([id]) => describe(id, changed));
  return { survived: [], undeclared: accusedBeyond(base, changed, allowed), lost };
}

/** The timeout for mutants that hang on purpose is shorter than for a real service. */
function withPatience({ id }: Mutant): (manifest: Manifest) => Manifest {
  // On a clock that stands still a queue is never released either.
  const timeoutMs = /never-ends|hangs|stalls/.test(id) ? 800 : id === "burst/mixed-preference" ? 2_000 : null;
  return (manifest) => (timeoutMs === null ? manifest : { ...manifest, target: { ...manifest.target, timeoutMs } });
}

/**
 * A row that is inconclusive ends a run in 3, unless it is one of those that the exams of limits ask for; an implied row has a condition that
 * a lawful service need not meet.
 */
function isLost(id: string, verdict: Verdict): boolean {
  const level = levels.get(id);
  if (verdict === "inconclusive" && examSuites.has(suiteOf.get(id) ?? "core")) return false;
  return level === "must" ? verdict !== "pass" : level === "implied" && verdict === "inconclusive";
}

function isAccused(verdict: Verdict | undefined): boolean {
  return verdict === "fail" || verdict === "advisory";
}

function accusedBeyond(base: Examined, changed: Examined, allowed: ReadonlySet<string>): readonly string[] {
  const selected = new Set(changed.plan.suites);
  return [...changed.verdicts]
    .filter(([id, verdict]) => isAccused(verdict) && !isAccused(base.verdicts.get(id)) && !allowed.has(id))
    .filter(([id]) => selected.has(suiteOf.get(id) ?? "core"))
    .map(([id]) => describe(id, changed));
}

function describe(id: string, { result }: Examined): string {
  const row = result.requirements.find((one) => one.id === id);
  return `${id} ${row?.verdict}${row?.reason == null ? "" : `: ${row.reason.slice(0, 100)}`}`;
}

export const clean: MatrixOutcome = { survived: [], undeclared: [], lost: [] };
