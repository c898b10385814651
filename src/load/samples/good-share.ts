import type { Share } from "../statistics/share-interval.ts";
import type { Totals } from "./count-totals.ts";
import type { LoadRecord } from "./load-record.ts";
import { markRecords, withOpen } from "./mark-records.ts";

/** Good answers among all planned requests; those may be good that were given up before they surely missed a bound, or that an estimate judges. */
export function goodShare(records: readonly LoadRecord[], { attempted, good, maybeGood }: Totals): Share {
  const share = { part: good, whole: attempted, inOrder: markRecords(records, isFirst, isGood) };
  return withOpen(share, maybeGood, () => markRecords(records, isFirst, (record) => record.good || record.maybeGood));
}

function isFirst({ attempt }: LoadRecord): boolean {
  return attempt === 1;
}

function isGood({ good }: LoadRecord): boolean {
  return good;
}
