/** Trials at one level. */
export interface IsotonicPoint {
  readonly level: number;
  /** A share from 0 to 1. */
  readonly share: number;
  /** Requests that it is a share of. */
  readonly weight: number;
}

/** Neighbouring levels that have one share. */
export interface IsotonicBlock {
  readonly from: number;
  readonly to: number;
  /** Their mean on a logarithmic scale, each by its requests. */
  readonly centre: number;
  readonly share: number;
  readonly weight: number;
}

/**
 * Isotonic regression of shares that cannot fall where the level rises: neighbours that do fall are pooled until none does (pool
 * adjacent violators; Ayer, Brunk, Ewing, Reid and Silverman 1955). Ascending.
 */
export function isotonicBlocks(points: readonly IsotonicPoint[]): readonly IsotonicBlock[] {
  const blocks: IsotonicBlock[] = [];
  for (const { level, ...point } of points.toSorted((a, b) => a.level - b.level)) {
    let block: IsotonicBlock = { from: level, to: level, centre: level, ...point };
    for (let before = blocks.at(-1); before !== undefined && isViolated(before, block); before = blocks.at(-1)) {
      blocks.pop();
      block = pool(before, block);
    }
    blocks.push(block);
  }
  return blocks;
}

function isViolated(before: IsotonicBlock, block: IsotonicBlock): boolean {
  return before.share > block.share || before.to === block.from;
}

function pool(one: IsotonicBlock, other: IsotonicBlock): IsotonicBlock {
  const weight = one.weight + other.weight;
  const mean = (a: number, b: number): number => (a * one.weight + b * other.weight) / weight;
  const isOne = one.centre === other.centre;
  const centre = isOne ? one.centre : Math.exp(mean(Math.log(one.centre), Math.log(other.centre)));
  return { from: one.from, to: other.to, centre, share: mean(one.share, other.share), weight };
}
