/** Values of one file, each use of an alias counted: a file of the largest size holds about half as many by itself. */
const mostValues = 1_000_000;
/** Levels of a file, those that aliases add among them. */
const mostLevels = 200;

interface Extent {
  readonly values: number;
  readonly levels: number;
}

const one: Extent = { values: 1, levels: 1 };
const endless: Extent = { values: Infinity, levels: Infinity };

/**
 * Says why a value is more than a tree that can be walked, null for any other: aliases of YAML share values, so that a value
 * may hold itself, and a few lines may unfold to more values or levels than any memory or stack takes.
 */
export function findTreeExcess(root: unknown): string | null {
  const open = new Set<object>();
  /** A value that many aliases share is walked once. */
  const known = new Map<object, Extent>();
  let isCircle = false;
  const extentOf = (value: unknown): Extent => {
    if (typeof value !== "object" || value === null) return one;
    const before = known.get(value);
    if (before !== undefined) return before;
    isCircle ||= open.has(value);
    if (isCircle || open.size > mostLevels) return endless;
    open.add(value);
    let [values, levels] = [1, 1];
    for (const inner of Object.values(value)) {
      const extent = extentOf(inner);
      values += extent.values;
      levels = Math.max(levels, extent.levels + 1);
      if (values > mostValues || levels > mostLevels) break;
    }
    open.delete(value);
    known.set(value, { values, levels });
    return { values, levels };
  };
  const { values, levels } = extentOf(root);
  if (isCircle) return "an alias stands for a value that holds it: it leads in a circle";
  if (levels > mostLevels) return `it is nested deeper than ${mostLevels} levels`;
  return values > mostValues ? `its aliases unfold to more than ${mostValues} values` : null;
}
