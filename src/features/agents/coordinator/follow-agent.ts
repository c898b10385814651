import type { PassiveCounts } from "../../../conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../../core/exchange/exchange.ts";
import type { ProgressEvent } from "../../../core/progress.ts";
import type { AgentClock } from "../../../core/result/generator-health.ts";
import type { AgentCard } from "../broker/agent-card.ts";
import type { Chunk } from "../messages/chunk.ts";
import { createInbox, type Inbox } from "../messages/inbox.ts";
import type { LimitOp } from "../../../limits/history/op.ts";
import { unpackOps } from "../../../limits/history/op-columns.ts";
import type { AgentFacts, LedgerLine } from "../../../load/ledger/ledger-line.ts";
import { closeShare, type OpenShare, openShare, takeOverflow } from "../../../load/ledger/open-share.ts";
import type { LedgerSink } from "../../../load/ledger/record-log.ts";
import { unpackRecords } from "../../../load/ledger/unpack-records.ts";
import type { LoadProfile } from "../../../load/profile/load-profile.ts";
import type { Stalls } from "../../../load/samples/is-provoked.ts";
import type { LoadRecord } from "../../../load/samples/load-record.ts";
import type { TriedLevel } from "../../../load/judge/summarize-step.ts";
import type { ShareResult } from "../../../load/ledger/share-result.ts";
import { readPassiveCounts } from "../../../run/record/passive-json.ts";
import type { FromAgent } from "../messages/agent-messages.ts";
import { type AwaitedRecords, createAwaitedRecords } from "./awaited-records.ts";

export interface FollowAgentOptions {
  readonly agent: number;
  readonly card: AgentCard;
  readonly profile: LoadProfile;
  readonly ledger: LedgerSink | undefined;
  readonly on: {
    readonly ready: () => void;
    readonly refused: (reason: string) => void;
    readonly progress: (event: Extract<ProgressEvent, { kind: "load" }>) => void;
    readonly exchange: (exchange: Exchange) => void;
    readonly op: (op: LimitOp) => void;
    readonly passive: (counts: PassiveCounts) => void;
    readonly record: () => void;
    /** A record, once it is known how late its machine was about its end. */
    readonly judged: (record: LoadRecord, stalls: Stalls) => void;
    readonly rateReady: () => void;
    readonly rateProbed: (probed: TriedLevel) => void;
    /** Nothing more is sent of its share. */
    readonly sent: () => void;
    readonly measured: () => void;
    /** It lost its lease, or cannot be believed any more. */
    readonly lost: (reason: string) => void;
  };
}

/** Lines of one report of a share hold no more rows; more is a report that was tampered with. */
const mostRows = 4096;

/** The state of one agent at the coordinator: takes its reports, each once and in order, until it has ended or is lost. */
export class FollowedAgent {
  readonly card: AgentCard;
  readonly #options: FollowAgentOptions;
  readonly #inbox: Inbox;
  #token: string | null = null;
  #share: OpenShare | null = null;
  #awaited: AwaitedRecords | null = null;
  #clock: AgentClock | null = null;
  #lost: string | null = null;
  #end: Extract<FromAgent, { kind: "measured" }> | null = null;

  constructor(options: FollowAgentOptions) {
    this.card = options.card;
    this.#options = options;
    this.#inbox = createInbox((payload) => {
      for (const message of JSON.parse(payload) as readonly FromAgent[]) this.#hear(message);
    });
  }

  get received(): number {
    return this.#inbox.received;
  }

  get lost(): string | null {
    return this.#lost;
  }

  get measured(): Extract<FromAgent, { kind: "measured" }> | null {
    return this.#end;
  }

  get over(): boolean {
    return this.#lost !== null || this.#end !== null;
  }

  /** Its reports from now on are not taken. */
  lose(reason: string): void {
    if (!this.over) this.#lost = reason;
  }

  take(token: string, chunk: Chunk): void {
    this.#token ??= token;
    // Another start of the same agent, or one that was given up: its reports belong to nothing.
    if (token !== this.#token || this.over) return;
    try {
      this.#inbox.take(chunk);
    } catch (error) {
      this.#options.on.lost(`its reports cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Its share, as far as it got; `startMs` is the planned start, for one that never began. */
  share(startMs: number): ShareResult {
    const { profile, agent, ledger } = this.#options;
    if (this.#share === null) {
      const fromMs = startMs + 1000 * profile.warmUpSeconds;
      ledger?.(JSON.stringify({ kind: "start", loop: agent, startMs, fromMs } satisfies LedgerLine));
      this.#share = openShare({ startMs, fromMs });
    }
    return closeShare(this.#share);
  }

  facts(): AgentFacts {
    const { requestsPerSecond, eventsPerSecond } = this.card.calibration.ceiling;
    return { name: this.card.name, clock: this.#clock, ceiling: { requestsPerSecond, eventsPerSecond }, lost: this.#lost };
  }

  #hear(message: FromAgent): void {
    const { on } = this.#options;
    switch (message.kind) {
      case "ready":
        on.ready();
        return;
      case "refused":
        on.refused(message.reason);
        return;
      case "clock":
        this.#clock = message.clock;
        return;
      case "progress":
        on.progress(message.event);
        return;
      case "ledger":
        this.#takeLine(message.json);
        return;
      case "exchanges":
        for (const exchange of message.exchanges) on.exchange(exchange);
        return;
      case "ops":
        for (const op of unpackOps(message.columns, rowsOf(message))) on.op(op);
        return;
      case "sent":
        on.sent();
        return;
      case "rate-ready":
        on.rateReady();
        return;
      case "rate-tried":
        on.rateProbed(message.probed);
        return;
      case "lease-lost":
        on.lost(message.reason);
        return;
      case "measured":
        this.#end = message;
        on.passive(readPassiveCounts(message.passive));
        on.measured();
        return;
      default:
        throw new Error(`it says something unknown`, { cause: message satisfies never });
    }
  }

  #takeLine(json: string): void {
    const { agent, profile, ledger } = this.#options;
    const line = JSON.parse(json) as LedgerLine;
    if (!("loop" in line) || line.loop !== agent) throw new Error("a line of its share is not its own");
    if (line.kind === "start") {
      this.#share = openShare(line);
      this.#awaited = createAwaitedRecords(line.startMs, this.#options.on.judged);
    }
    const [share, awaited] = [this.#share, this.#awaited];
    if (share === null || awaited === null) throw new Error("a line stands before the start of its share");
    if (line.kind === "records") {
      for (const record of unpackRecords(line.columns, rowsOf(line), profile.slo)) {
        share.records.push(record);
        awaited.add(record);
        this.#options.on.record();
      }
    } else if (line.kind === "overflow") takeOverflow(share, line);
    else if (line.kind === "health") {
      share.health.push(...line.samples);
      awaited.health(line.samples);
    } else if (line.kind === "share") {
      share.end = line;
      awaited.end();
    }
    ledger?.(json);
  }
}

function rowsOf({ rows }: { readonly rows: number }): number {
  if (!Number.isInteger(rows) || rows <= 0 || rows > mostRows) throw new Error("a report claims rows that none holds");
  return rows;
}
