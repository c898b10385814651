import type { LoadRecord } from "./load-record.ts";
import { RecordView } from "./record-view.ts";

/**
 * The records with those of requests as sent that were dropped because this machine was late: later turns of a conversation of which it cut one off, and
 * as many as `spare` of those that found no place in flight. Nobody knows how they would have ended.
 */
export function fillSparePlaces(records: readonly LoadRecord[], spare: number): readonly LoadRecord[] {
  const cut = new Set<number | null>();
  for (const { outcome, session } of records) if (outcome === "interrupted") cut.add(session);
  cut.delete(null);
  let left = spare;
  return records.map((record) => {
    if (record.notSent === "cancelled" && cut.has(record.session)) return new SentRecord(record);
    if (record.outcome !== "not-sent" || record.notSent !== "max-in-flight" || left <= 0) return record;
    left -= 1;
    return new SentRecord(record);
  });
}

class SentRecord extends RecordView {
  override get outcome(): "interrupted" {
    return "interrupted";
  }

  override get notSent(): null {
    return null;
  }

  override get maybeGood(): true {
    return true;
  }
}
