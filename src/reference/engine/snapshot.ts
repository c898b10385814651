import type { AccountRecord, KeyRecord } from "./keys/key-record.ts";

/** Complete state of the engine; survives JSON. */
export interface EngineSnapshot {
  readonly schemaVersion: 1;
  readonly takenAtMs: number;
  readonly keys: readonly KeyRecord[];
  readonly accounts: readonly AccountRecord[];
  /** State of each part by its name; opaque outside the engine. */
  readonly parts: Readonly<Record<string, unknown>>;
}
