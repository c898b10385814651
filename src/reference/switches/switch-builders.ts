import type { Mutant, SwitchArea, Variant } from "./switch.ts";

type MutantExtras = Pick<Mutant, "mayAlsoFail" | "origin" | "needs">;
type VariantExtras = Pick<Variant, "changes" | "excludes">;

/**
 * `<area>/<name>`, the area taken from the id. Requirements that must fail are left out of those that may fail: lists of
 * consequences are shared.
 */
export function mutant(id: string, title: string, violates: readonly string[], extras: MutantExtras = {}): Mutant {
  const { mayAlsoFail, ...rest } = extras;
  const consequences = mayAlsoFail === undefined ? {} : { mayAlsoFail: mayAlsoFail.filter((row) => !violates.includes(row)) };
  return { kind: "mutant", id, area: areaOf(id), title, violates, ...consequences, ...rest };
}

/** Builds mutants that show only in a run that has all of this, besides what each needs itself. */
export function mutantNeeding(...common: readonly string[]): typeof mutant {
  return (id, title, violates, extras) =>
    mutant(id, title, violates, { ...extras, needs: [...common, ...(extras?.needs ?? [])] });
}

/** Builds mutants that show only in an exam of limits. */
export const inExam: typeof mutant = mutantNeeding("stage:limits");

/** Builds mutants that show only to a second key while the load of another one runs. */
export const besideLoad: typeof mutant = mutantNeeding("stage:load", "probe");

export function variant(id: string, title: string, lawfulBecause: string, extras: VariantExtras = {}): Variant {
  return { kind: "variant", id, area: areaOf(id), title, lawfulBecause, ...extras };
}

function areaOf(id: string): SwitchArea {
  return id.slice(0, id.indexOf("/")) as SwitchArea;
}
