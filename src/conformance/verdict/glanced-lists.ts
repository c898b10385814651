/** What a glance tells where nothing is the subject of a judge. */
export const nothingGlanced: readonly string[] = [];

/**
 * Lists of requirements that a judge hands out at a glance, one array for each combination: whoever counts them can tell equal
 * ones by identity. Bit `n` of a mask stands for the n-th name; names may repeat. At most 31 names.
 */
export function createGlancedLists(names: readonly string[]): (mask: number) => readonly string[] {
  const lists = new Map<number, readonly string[]>([[0, nothingGlanced]]);
  return (mask) => {
    let list = lists.get(mask);
    if (list === undefined) {
      list = names.filter((_, bit) => (mask & (1 << bit)) !== 0);
      lists.set(mask, list);
    }
    return list;
  };
}
