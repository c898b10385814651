import type { Switchboard } from "../switch.ts";

/**
 * A seam that is changed by the first of these switches that is on, and lawful while none is. Variants stand last: what they allow must not hide
 * a defect that is on as well.
 */
export function firstChange<Given extends readonly unknown[], Result>(
  switches: Switchboard,
  lawful: (...given: Given) => Result,
  changes: Readonly<Record<string, NoInfer<(...given: Given) => Result>>>,
): (...given: Given) => Result {
  const inOrder = Object.entries(changes);
  return (...given) => {
    for (const [id, change] of inOrder) if (switches.on(id)) return change(...given);
    return lawful(...given);
  };
}
