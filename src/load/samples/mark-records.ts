import { collectFigures } from "../statistics/collect-figures.ts";
import type { Share } from "../statistics/share-interval.ts";
import type { LoadRecord } from "./load-record.ts";

/** One for each subject that has the property, 0 for each that has not, in the order of the records. */
export function markRecords(
  records: readonly LoadRecord[],
  isSubject: (record: LoadRecord) => boolean,
  has: (record: LoadRecord) => boolean,
): Float64Array {
  return collectFigures(records, (record) => (isSubject(record) ? (has(record) ? 1 : 0) : null));
}

/** The share with those, too, that may have the property. */
export function withOpen(share: Share, open: number, inOrder: () => Float64Array): Share {
  if (open === 0) return share;
  const { part, whole, times } = share;
  const most = { part: Math.min(whole, part + open), whole, inOrder: inOrder(), ...(times !== undefined && { times }) };
  return { ...share, most };
}
