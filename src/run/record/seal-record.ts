import { createHash } from "node:crypto";
import { visibleJson } from "../../core/exchange/bodies/visible-json.ts";
import type { RunRecord } from "./run-record.ts";

/** The record with its seal. No proof against whoever can compute a digest, but nobody changes a number by mistake and unseen. */
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
