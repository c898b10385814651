import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { groupBy } from "../../core/group-by.ts";
import { fisherExact } from "../judging/refused-by-chance.ts";
import { findInstanceMarks, type InstanceMark } from "./instance-marks.ts";
import type { Defect } from "./follow-root-causes.ts";
import { type JudgedViolation, subjectOf } from "./judged-occurrence.ts";
import { isOverlay, type SettledRecord } from "./settled-record.ts";

/** Of all marks together: chance names one in so few runs. */
const significance = 0.001;
/** As many defects of the same instances are reported as one. */
const mergedFrom = 3;
/** Wrong answers of one defect that all have a mark: one alone may have it by chance. */
const leastWrong = 2;

interface ShownDefect {
  readonly name: string;
  /** Requirements that it violates. */
  readonly rows: readonly string[];
  /** Sequence numbers of answers that violate a row of it, and of those that meet these rows. */
  readonly wrong: ReadonlySet<number>;
  readonly right: ReadonlySet<number>;
  /** Everything said of it: a mark that is the defect itself explains nothing. */
  readonly said: string;
}

/** Defects with what instances have to do with them. */
export interface SeparatedDefects {
  readonly defects: ReadonlyMap<JudgedViolation, Defect>;
  /** By the name of a defect (`nameDefect`), the words for the instances that show it. */
  readonly words: ReadonlyMap<string, string>;
}

export function nameDefect({ owner, kind }: Defect): string {
  return `${owner} ${kind}`;
}

/**
 * Finds the defects that some instances behind one address have and others have not: wrong answers have a mark that right ones to the
 * same rows have not, more than chance explains (Fisher's exact test over all such defects together), and those of this defect
 * have it all. Many defects of the same instances are one: the instances differ.
 */
export function separateInstances(all: ReadonlyMap<JudgedViolation, Defect>, record: SettledRecord): SeparatedDefects {
  const mixed = mixedDefects(all, record);
  if (mixed.length === 0) return { defects: all, words: new Map() };
  const separated = findSeparated(mixed, record);
  const words = new Map<string, string>();
  const merged = new Map<string, Defect>();
  for (const [mark, defects] of separated) {
    const one = defects.length < mergedFrom ? null : mergeDefects(defects, mark, record);
    if (one === null) {
      for (const defect of defects) if (defect.wrong.size >= leastWrong) words.set(defect.name, describe(defect, mark));
      continue;
    }
    words.set(nameDefect(one.defect), describe(one, mark));
    for (const { name } of defects) merged.set(name, one.defect);
  }
  const defects = [...all].map(([violation, defect]) => [violation, merged.get(nameDefect(defect)) ?? defect] as const);
  return { defects: new Map(defects), words };
}

type Separated = ReadonlyMap<InstanceMark, readonly ShownDefect[]>;

/** Each defect with the mark that separates best of those that all its wrong answers have. */
function findSeparated(mixed: readonly ShownDefect[], { bySeq }: SettledRecord): Separated {
  const marks = findInstanceMarks(bySeq.values());
  const [wrong, right] = [union(mixed.map((one) => one.wrong)), union(mixed.map((one) => one.right))];
  for (const seq of wrong) right.delete(seq);
  const separating = marks
    .map((mark) => ({ mark, p: associationOf(mark, wrong, right) }))
    .filter(({ p }) => p < significance / marks.length)
    .toSorted((one, other) => one.p - other.p)
    .map(({ mark }) => mark);
  const found = new Map<InstanceMark, ShownDefect[]>();
  for (const defect of mixed) {
    const mark = separating.find((one) => !isOf(one, defect) && isAll(defect.wrong, one.seqs));
    if (mark !== undefined) found.set(mark, [...(found.get(mark) ?? []), defect]);
  }
  return found;
}

/** The mark is what the defect consists in. */
function isOf({ name, value }: InstanceMark, { said }: ShownDefect): boolean {
  return said.includes(value.toLowerCase()) || (name.includes("-") && said.includes(name));
}

function mergeDefects(
  defects: readonly ShownDefect[],
  mark: InstanceMark,
  { rows }: SettledRecord,
): ShownDefect & { readonly defect: Defect } {
  const wrong = union(defects.map((one) => one.wrong));
  const right = union(defects.map((one) => one.right));
  for (const seq of wrong) right.delete(seq);
  const order = [...rows.keys()];
  const ids = defects.flatMap((one) => one.rows).toSorted((one, other) => order.indexOf(one) - order.indexOf(other));
  // A row that fails speaks for those that only advise.
  const owner = ids.find((id) => rows.get(id)?.verdict === "fail") ?? ids[0] ?? "";
  const kind = `instances with another ${mark.name} answer differently`;
  return { name: kind, wrong, right, rows: ids, said: "", defect: { owner, kind } };
}

/** Defects that some answers show while others meet the same rows. */
function mixedDefects(defects: ReadonlyMap<JudgedViolation, Defect>, record: SettledRecord): readonly ShownDefect[] {
  const { occurrences, bySeq } = record;
  const right = new Map<string, Set<number>>();
  for (const occurrence of occurrences) {
    const subject = occurrence.outcome === "pass" ? subjectOf(occurrence, bySeq) : undefined;
    if (subject === undefined) continue;
    const { requirement } = occurrence;
    right.set(requirement, (right.get(requirement) ?? new Set()).add(subject.seq));
  }
  const served = [...bySeq.values()].filter((one) => factsOf(one).isSuccess).map(({ seq }) => seq);
  const own = [...defects].filter(([violation]) => !isOverlay(record, violation));
  return [...groupBy(own, ([, defect]) => nameDefect(defect))].flatMap(([name, members]) => {
    const violations = members.map(([violation]) => violation);
    const wrong = new Set(violations.flatMap((one) => subjectOf(one, bySeq)?.seq ?? []));
    const rows = [...new Set(violations.map((one) => one.requirement))];
    const alike = new Set([...wrong].map((seq) => askedOf(bySeq.get(seq))));
    const met = union(rows.map((row) => right.get(row) ?? new Set<number>()));
    // A row on what an operation accepts passes once, whatever the number of requests that show it.
    if ([...wrong].every((seq) => isRefusedValid(bySeq.get(seq)))) for (const seq of served) met.add(seq);
    for (const seq of met) if (wrong.has(seq) || !alike.has(askedOf(bySeq.get(seq)))) met.delete(seq);
    if (met.size === 0) return [];
    const said = violations.map(({ kind, message = "", observed = "" }) => `${kind} ${message} ${observed}`);
    return [{ name, rows, wrong, right: met, said: [...new Set(said)].join(" ").toLowerCase() }];
  });
}

function isRefusedValid(exchange: Exchange | undefined): boolean {
  return exchange?.intent.kind === "valid" && (exchange.response?.status ?? 0) >= 400;
}

/** Answers to other operations, and to requests that are wrong on purpose where these are not, show another thing. */
function askedOf(exchange: Exchange | undefined): string {
  return `${exchange?.endpoint ?? ""} ${exchange?.intent.kind ?? ""}`;
}

function associationOf({ seqs }: InstanceMark, wrong: ReadonlySet<number>, right: ReadonlySet<number>): number {
  const [bad, good] = [countIn(wrong, seqs), countIn(right, seqs)];
  return fisherExact(bad, wrong.size - bad, good, right.size - good);
}

function describe({ wrong, right }: ShownDefect, mark: InstanceMark): string {
  const good = countIn(right, mark.seqs);
  return (
    `wrong in ${wrong.size} of ${wrong.size + right.size} answers, each with ${mark.words}` +
    `, as ${good} of the ${right.size} right ones: instances behind this address answer differently`
  );
}

function countIn(seqs: ReadonlySet<number>, marked: ReadonlySet<number>): number {
  let count = 0;
  for (const seq of seqs) if (marked.has(seq)) count += 1;
  return count;
}

function isAll(seqs: ReadonlySet<number>, marked: ReadonlySet<number>): boolean {
  return countIn(seqs, marked) === seqs.size;
}

function union(sets: readonly ReadonlySet<number>[]): Set<number> {
  return new Set(sets.flatMap((one) => [...one]));
}
