import { collectFigures } from "../statistics/collect-figures.ts";
import type { Share } from "../statistics/share-interval.ts";
import type { Totals } from "./count-totals.ts";
import { hasStayed } from "./has-stayed.ts";
import type { LoadRecord } from "./load-record.ts";
import { markRecords, withOpen } from "./mark-records.ts";

/** Good answers among all planned requests of clients that stay; those may be good that were given up before they surely missed a bound, or that an estimate judges. */
export function goodShare(records: readonly LoadRecord[], { attempted, good, maybeGood, outcomes }: Totals): Share {
  const share = {
    part: good,
    whole: attempted - (outcomes.left ?? 0),
    inOrder: markRecords(records, isSubject, isGood),
    times: collectFigures(records, (record) => (isSubject(record) ? record.endMs - record.intendedMs : null)),
  };
  return withOpen(share, maybeGood, () => markRecords(records, isSubject, (record) => record.good || record.maybeGood));
}

function isSubject(record: LoadRecord): boolean {
  return record.attempt === 1 && hasStayed(record);
}

function isGood({ good }: LoadRecord): boolean {
  return good;
}
