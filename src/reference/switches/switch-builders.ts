import type { Mutant, SwitchArea, Variant } from "../switch.ts";

type MutantExtras = Pick<Mutant, "mayAlsoFail" | "origin" | "needs">;
type VariantExtras = Pick<Variant, "changes" | "excludes">;

/** `<area>/<name>`, the area taken from the id. */
export function mutant(id: string, title: string, violates: readonly string[], extras: MutantExtras = {}): Mutant {
  return { kind: "mutant", id, area: areaOf(id), title, violates, ...extras };
}

export function variant(id: string, title: string, lawfulBecause: string, extras: VariantExtras = {}): Variant {
  return { kind: "variant", id, area: areaOf(id), title, lawfulBecause, ...extras };
}

function areaOf(id: string): SwitchArea {
  return id.slice(0, id.indexOf("/")) as SwitchArea;
}
