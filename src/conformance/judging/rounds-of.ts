/**
 * The exchanges of a case, try by try: when it is repeated to confirm a finding it begins again. Exchanges before its first
 * start are left out.
 */
export function roundsOf<Item>(
  items: readonly Item[],
  isStart: (item: Item) => boolean,
): readonly (readonly [Item, ...Item[]])[] {
  const rounds: [Item, ...Item[]][] = [];
  for (const item of items) {
    if (isStart(item)) rounds.push([item]);
    else rounds.at(-1)?.push(item);
  }
  return rounds;
}
