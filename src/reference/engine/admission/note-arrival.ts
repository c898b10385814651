import type { RateHeaders } from "../admission.ts";
import type { JournalEntry } from "../journal.ts";
import type { RefusalCode } from "../refusal.ts";
import type { AdmissionParts } from "./admission-parts.ts";
import type { Arrival } from "./arrival.ts";

/** Writes into the journal what became of a request. */
export function noteArrival(
  { clock, journal, ledger }: AdmissionParts,
  { key, work: { endpoint } }: Arrival,
  event: JournalEntry["event"],
  rate: RateHeaders | null = null,
  code: RefusalCode | null = null,
): void {
  const atMs = clock.wallMs();
  journal.record({ atMs, key: key.name, endpoint, event, code, rate, ...ledger.keySpend(key, atMs) });
}
