import { ServiceClock } from "../../../src/reference/clock/service-clock.ts";
import type { Admission, Ticket, Work } from "../../../src/reference/engine/admission.ts";
import { createSeams } from "../../../src/reference/switches/create-seams.ts";
import type { DefectSurroundings } from "../../../src/reference/switches/patches/patch-engine.ts";
import { createEngine, type EngineOptions } from "../../../src/reference/engine/create-engine.ts";
import type { Engine } from "../../../src/reference/engine/engine.ts";
import type { KeyRecord } from "../../../src/reference/engine/keys/key-record.ts";
import type { LimitRefusal } from "../../../src/reference/engine/refusal.ts";

/** Start of a minute, well inside a month. */
export const startMs: number = Date.UTC(2026, 10, 21, 12);

type BenchOptions = Partial<EngineOptions> & Pick<DefectSurroundings, "storeDelay">;

/** Engine under a manual clock, with short-hand for what tests ask of it. */
export interface EngineBench {
  readonly clock: ServiceClock;
  readonly engine: Engine;
  readonly key: (name: string) => KeyRecord;
  /** Admits and, unless `settles` is false, settles at once with the worst case. */
  readonly send: (name: string, work?: Partial<Work>, settles?: boolean) => Promise<Admission>;
  /** `ok`, or the code of the refusal. */
  readonly outcome: (name: string, work?: Partial<Work>) => Promise<string>;
  readonly outcomes: (name: string, count: number, work?: Partial<Work>) => Promise<readonly string[]>;
  readonly set: (name: string, settings: Partial<KeyRecord["settings"]>) => void;
}

export function createBench(switchesOn: readonly string[] = [], options: BenchOptions = {}, atMs: number = startMs): EngineBench {
  const clock = new ServiceClock({ kind: "manual", startMs: atMs });
  const on = new Set(switchesOn);
  const switches = { on: (id: string): boolean => on.has(id) };
  const { storeDelay = () => Promise.resolve(), ...engineOptions } = options;
  const seams = createSeams(switches, { storeDelay }).engine;
  const engine = createEngine({ clock, seams, ...engineOptions });
  const key = (name: string): KeyRecord => {
    const record = engine.keys.byName(name);
    if (record === undefined) throw new Error(`no key ${name}`);
    return record;
  };
  const send = async (name: string, work: Partial<Work> = {}, settles = true): Promise<Admission> => {
    const full: Work = { ...plainWork, ...work };
    const admission = await engine.admit(key(name), full);
    if (settles && admission.kind === "admitted") settleWorstCase(admission.ticket, full);
    return admission;
  };
  const outcome = async (name: string, work?: Partial<Work>): Promise<string> => describeAdmission(await send(name, work));
  return {
    clock,
    engine,
    key,
    send,
    outcome,
    outcomes: (name, count, work) => Promise.all(Array.from({ length: count }, () => outcome(name, work))),
    set: (name, settings) => {
      const changed = engine.changeKey(key("admin"), key(name).id, settings);
      if (changed.kind !== "changed") throw new Error(`settings of ${name} were not changed`);
    },
  };
}

export const plainWork: Work = {
  endpoint: "chat",
  rawUrl: "/v1/chat/completions",
  fields: {},
  streaming: false,
  promptTokens: 10,
  cachedTokens: 0,
  maxCompletionTokens: 20,
  requestedMaxTokens: null,
  maxCostMicros: 180,
};

export const imageWork: Partial<Work> = {
  endpoint: "images",
  rawUrl: "/v1/images/generations",
  fields: {},
  promptTokens: 0,
  maxCompletionTokens: 0,
  maxCostMicros: 40_000,
};

export const modelsWork: Partial<Work> = {
  endpoint: "models",
  rawUrl: "/v1/models",
  fields: {},
  promptTokens: 0,
  maxCompletionTokens: 0,
  maxCostMicros: 0,
};

export function settleWorstCase(ticket: Ticket, work: Work): void {
  ticket.settle({
    ended: "completed",
    promptTokens: work.promptTokens,
    completionTokens: work.maxCompletionTokens,
    costMicros: work.maxCostMicros,
  });
}

export function describeAdmission(admission: Admission): string {
  if (admission.kind === "refused") return admission.refusal.code;
  return admission.kind === "admitted" ? "ok" : "abandoned";
}

export function leaseOf(admission: Admission): Ticket {
  if (admission.kind !== "admitted") throw new Error(`expected an admission, got ${describeAdmission(admission)}`);
  return admission.ticket;
}

export function refusalOf(admission: Admission): LimitRefusal {
  if (admission.kind !== "refused") throw new Error(`expected a refusal, got ${describeAdmission(admission)}`);
  return admission.refusal;
}

export function count(values: readonly string[], wanted: string): number {
  return values.filter((value) => value === wanted).length;
}
