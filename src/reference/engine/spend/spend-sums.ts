import type { KeyRecord } from "../keys/key-record.ts";

export type SavedSums = readonly (readonly [cycleId: string, owner: string, micros: number])[];

/** Micro-dollars by cycle, and in it by key and by account. */
export interface SpendSums {
  add(key: KeyRecord, cycleId: string, micros: number): void;
  /** `owner` is the id of a key or of an account. */
  of(owner: string, cycleId: string): number;
  ofAllCycles(owner: string): number;
  save(): SavedSums;
  load(saved: SavedSums): void;
}

export function createSpendSums(): SpendSums {
  const cycles = new Map<string, Map<string, number>>();
  const post = (cycleId: string, owner: string, micros: number): void => {
    const sums = cycles.get(cycleId) ?? new Map<string, number>();
    cycles.set(cycleId, sums);
    sums.set(owner, (sums.get(owner) ?? 0) + micros);
  };
  return {
    add: (key, cycleId, micros) => {
      post(cycleId, key.id, micros);
      post(cycleId, key.account, micros);
    },
    of: (owner, cycleId) => cycles.get(cycleId)?.get(owner) ?? 0,
    ofAllCycles: (owner) => [...cycles.values()].reduce((total, sums) => total + (sums.get(owner) ?? 0), 0),
    save: () => [...cycles].flatMap(([cycleId, sums]) => [...sums].map(([owner, micros]) => [cycleId, owner, micros] as const)),
    load: (saved) => {
      cycles.clear();
      for (const [cycleId, owner, micros] of saved) post(cycleId, owner, micros);
    },
  };
}
