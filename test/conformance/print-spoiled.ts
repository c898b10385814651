/** Defects by the kind of answer they are in; kinds with the same defects stand together: `401 chat, 404 chat: body cut; body empty`. */
export function printSpoiled(defectsByKind: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const kindsOf = new Map<string, string[]>();
  for (const [kind, own] of defectsByKind) {
    const defects = own.join("; ");
    kindsOf.set(defects, [...(kindsOf.get(defects) ?? []), kind]);
  }
  return [...kindsOf].map(([defects, kinds]) => `${kinds.join(", ")}: ${defects}`);
}
