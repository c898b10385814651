import type { Result } from "../core/result/result.ts";
import type { ChecklistItem } from "./checklist.ts";
import { listFailures } from "./list-failures.ts";

/**
 * One failed item for each failure that the other outputs count. A defect that violates several requirements fails the one that its
 * finding is about; the others name it. A second defect of the same requirement is an item of its own.
 */
export function failOnce(items: readonly ChecklistItem[], result: Result): readonly ChecklistItem[] {
  const failures = new Map(listFailures(result).map((finding) => [finding.id, finding]));
  const owners = new Map<string, string>();
  const isFailed = ({ outcome }: ChecklistItem): boolean => outcome === "failed";
  for (const { id, requirement } of failures.values()) {
    const showing = items.filter((item) => isFailed(item) && item.findings.includes(id));
    const owner = showing.find(({ name }) => name === requirement) ?? showing[0];
    if (owner !== undefined) owners.set(id, owner.name);
  }
  return items.flatMap((item): readonly ChecklistItem[] => {
    if (!isFailed(item)) return [item];
    const [first, ...others] = item.findings.filter((id) => owners.get(id) === item.name);
    if (first === undefined) {
      const shared = item.findings.filter((id) => owners.has(id));
      if (shared.length === 0) return [item];
      return [
        {
          ...item,
          outcome: "skipped",
          message: `violated by the defect that fails ${shared.map((id) => owners.get(id)).join(", ")}`,
        },
      ];
    }
    const more = others.map((id) => ({ ...item, name: id, title: failures.get(id)?.message ?? item.title, findings: [id] }));
    return [{ ...item, findings: item.findings.filter((id) => !others.includes(id)) }, ...more];
  });
}
