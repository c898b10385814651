import type { Exchange } from "../../../core/exchange/exchange.ts";
import type { ProgressEvent } from "../../../core/progress.ts";
import type { AgentClock } from "../../../core/result/generator-health.ts";
import type { OpColumns } from "../../../limits/history/op-columns.ts";
import type { EarlyEnd } from "../../../load/samples/early-end.ts";
import type { TriedLevel } from "../../../load/judge/summarize-step.ts";
import type { BudgetCounted } from "../../../wire/budget/budget-counters.ts";
import type { PassiveJson } from "../../../run/record/ledger-file.ts";
import type { ToWorker } from "../../../run/workers/worker-messages.ts";

/** The report of an agent on its share; plain JSON, secrets masked. */
export type FromAgent =
  /** Nothing was sent, and nothing will be. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Connections are open, judges loaded, the first part of the budget is here. */
  | { readonly kind: "ready" }
  | { readonly kind: "clock"; readonly clock: AgentClock }
  | { readonly kind: "progress"; readonly event: Extract<ProgressEvent, { kind: "load" }> }
  /** A line of the ledger. */
  | { readonly kind: "ledger"; readonly json: string }
  | { readonly kind: "exchanges"; readonly exchanges: readonly Exchange[] }
  /** Requests as limiters see them, their instants widened by what the clock may be wrong. */
  | { readonly kind: "ops"; readonly rows: number; readonly columns: OpColumns }
  /** It was held up or cut off for longer than its lease, and sends nothing more. */
  | { readonly kind: "lease-lost"; readonly reason: string }
  /** The last send of its share is due. */
  | { readonly kind: "sent" }
  | { readonly kind: "rate-ready" }
  | { readonly kind: "rate-tried"; readonly probed: TriedLevel }
  | {
      readonly kind: "measured";
      readonly passive: PassiveJson;
      readonly transportRaces: number;
      readonly lastSeq: number;
      readonly spent: Readonly<Record<BudgetCounted, number>>;
    };

/** A message to all agents: numbered by the coordinator, so that one that arrives twice is taken once. */
export type ToAgent =
  | (ToWorker & { readonly number: number })
  /** Said by an agent: until then nothing may be sent with the key. Said twice it means the same. */
  | { readonly kind: "hold"; readonly untilMs: number }
  | { readonly kind: "agent-stopped"; readonly reason: EarlyEnd };
