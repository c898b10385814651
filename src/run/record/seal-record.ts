import { createHash } from "node:crypto";
import { visibleJson } from "../../core/exchange/bodies/visible-json.ts";
import type { RunRecord } from "./run-record.ts";

/** The record with its seal. It does not stop an author who computes the digest anew; it shows a number that was changed by mistake. */
export function sealRecord(record: Omit<RunRecord, "seal">): RunRecord {
  return { ...record, seal: digestRecord(record) };
}

/** Whether the record is the one that was sealed. */
export function isSealed({ seal, ...record }: RunRecord): boolean {
  return seal === digestRecord(record);
}

function digestRecord(record: Omit<RunRecord, "seal">): string {
  return createHash("sha256").update(visibleJson(record)).digest("hex");
}
