import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { notSentRecord } from "../../../src/load/samples/unanswered-record.ts";

const slo = { ttftMs: null, tpotMs: null, userLatencyMs: null };
const some = { endpoint: "chat", label: "", phase: "measure", step: 0, intendedMs: 0, issuedMs: 0, slo } as const;
const names = Object.keys(notSentRecord(some, "budget")) as readonly (keyof LoadRecord)[];

/** A record as an object of its own, whatever its members are read from. */
export function plainRecord(record: LoadRecord): LoadRecord {
  return Object.fromEntries(names.map((name) => [name, record[name]])) as unknown as LoadRecord;
}
