/** One finding as lines: with its evidence, and in the fewest lines that still say what is wrong. */
export interface FindingBlock {
  readonly whole: readonly string[];
  readonly brief: readonly string[];
}

/** As many findings as the rows hold in brief; the first of them whole, as far as there is room for that. */
export function fitFindings(blocks: readonly FindingBlock[], rows: number): readonly (readonly string[])[] {
  const shown: FindingBlock[] = [];
  let left = rows;
  for (const block of blocks) {
    if (block.brief.length > left && shown.length > 0) break;
    left -= block.brief.length;
    shown.push(block);
  }
  return shown.map(({ whole, brief }, index) => {
    const more = whole.length - brief.length;
    // The first stands whole in any case: a summary without any evidence sends its reader elsewhere.
    const isWhole = index === 0 || more <= left;
    left = isWhole ? left - more : 0;
    return isWhole ? whole : brief;
  });
}
