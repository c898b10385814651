import { randomUUID } from "node:crypto";
import type { Clock } from "../../../core/clock.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { createEscrowCounters, type EscrowCounters } from "../budget/escrow-counters.ts";
import { type AgentLink, openAgentLink } from "../broker/agent-link.ts";
import type { BrokerAddress } from "../broker/read-broker-address.ts";
import { createLease, type Lease } from "../lease/lease.ts";
import type { EarlyEnd } from "../../../load/samples/early-end.ts";
import { type Hold, createHold } from "../../../load/send/hold.ts";
import { createWorkerBarrier } from "../../../run/workers/worker-barrier.ts";
import { createFollowedClock, type FollowedClock } from "./agent-clock.ts";
import type { ToAgent } from "../messages/agent-messages.ts";
import type { AgentOrder } from "../messages/agent-order.ts";
import { type AgentReports, createAgentReports } from "./agent-reports.ts";
import { prepareShare } from "./prepare-share.ts";
import { sendShare, type ShareControl } from "./send-share.ts";

const renewEveryMs = 500;
const watchEveryMs = 100;

/** Asks for the lease again and again, and says when it is lost. The timers are for the caller to end. */
function keepLease(options: {
  readonly link: Pick<AgentLink, "renew">;
  readonly lease: Lease;
  readonly nowMs: () => number;
  readonly onLost: () => void;
}): readonly NodeJS.Timeout[] {
  const { link, lease, nowMs, onLost } = options;
  let asking = false;
  const renew = async (): Promise<void> => {
    const askedAtMs = nowMs();
    try {
      const granted = await link.renew();
      if (granted > 0) lease.extend(askedAtMs, granted);
      else lease.drop("the broker grants it no longer");
    } catch {
      // Without an answer it runs out.
    } finally {
      asking = false;
    }
  };
  return [
    setInterval(() => {
      if (asking) return;
      asking = true;
      void renew();
    }, renewEveryMs),
    setInterval(() => {
      if (!lease.holds()) onLost();
    }, watchEveryMs),
  ];
}

export interface AgentShareOptions {
  readonly broker: BrokerAddress;
  readonly order: AgentOrder;
  /** The manifest of this agent, with its secrets. */
  readonly manifest: Manifest;
  readonly version: string;
  /** The clock of this machine. It has to go on while the process is stopped. */
  readonly clock: Clock;
  /** Aborts when the operator of the agent ends it. */
  readonly signal: AbortSignal;
}

const clockEveryMs = 1000;
/** Exchanges before the offset is chosen, and the time between them. */
const firstExchanges = 6;
const firstExchangeMs = 40;
const flushEveryMs = 200;
/** A chunk that is not acknowledged for so long is sent again. */
const repeatEveryMs = 2000;
/** Time at the end for the coordinator to take what is left. */
const farewellMs = 15_000;

/** A stop may be heard while clock and connections are prepared, and its start with it: then nothing may be sent any more. */
function createShareControl(): ShareControl {
  let early: EarlyEnd | null = null;
  let stop = (reason: EarlyEnd): void => {
    early ??= reason;
  };
  return {
    stop: (reason) => stop(reason),
    attach(stopSends) {
      stop = stopSends;
      if (early !== null) stop(early);
    },
    cut: () => {},
    stoppedByOthers: false,
  };
}

/** Sends one share of a profile for a coordinator. Resolves when everything was reported, or the share was lost. */
export async function runAgentShare(options: AgentShareOptions): Promise<void> {
  const share = new AgentShare(options);
  try {
    await share.run();
  } finally {
    share.close();
  }
}

class AgentShare {
  readonly #options: AgentShareOptions;
  readonly #clock: FollowedClock;
  readonly #lease: Lease;
  readonly #reports: AgentReports;
  readonly #counters: EscrowCounters = createEscrowCounters();
  readonly #barrier: ReturnType<typeof createWorkerBarrier>;
  readonly #hold: Hold = createHold();
  readonly #interrupt = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #started: Promise<number>;
  readonly #control: ShareControl = createShareControl();
  #begin: (startMs: number) => void = () => {};
  #lastDown = 0;
  #link: AgentLink | null = null;

  constructor(options: AgentShareOptions) {
    const { order, clock } = options;
    this.#options = options;
    this.#clock = createFollowedClock({ local: clock, wallAtZeroMs: order.wallAtZeroMs });
    this.#lease = createLease(() => clock.nowMs());
    this.#reports = createAgentReports({
      send: (chunk) => this.#link?.post(chunk),
      onFull: () => this.#control.stop({ kind: "agent", words: "the coordinator does not take what is reported" }),
    });
    this.#barrier = createWorkerBarrier((message) => {
      if (message.kind === "rate-ready" || message.kind === "rate-tried") this.#reports.send(message, true);
    });
    this.#started = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  async run(): Promise<void> {
    const { broker, order, clock, signal } = this.#options;
    const nowMs = (): number => clock.nowMs();
    // It keeps the loop busy; a lease would run out meanwhile.
    const prepared = prepareShare(this.#options);
    const link = await openAgentLink({
      broker,
      runId: order.runId,
      agent: order.agent,
      token: randomUUID(),
      nowMs,
      onDown: (json) => this.#hear(json),
      onClock: (exchange, acknowledged) => {
        this.#clock.observe(exchange);
        this.#reports.acknowledge(acknowledged);
      },
    });
    this.#link = link;
    const askedAtMs = nowMs();
    const granted = await link.claim();
    // Somebody has it, or the run is over: a share is never run twice.
    if (granted <= 0) return;
    this.#lease.extend(askedAtMs, granted);
    const lease = this.#lease;
    this.#timers.push(...keepLease({ link, lease, nowMs, onLost: () => this.#fallSilent() }));
    if (signal.aborted) this.#lease.drop("the agent was ended by its operator");
    signal.addEventListener("abort", () => this.#control.stop({ kind: "agent", words: "the agent was ended by its operator" }), {
      once: true,
    });
    await this.#learnClock(link);
    if (typeof prepared === "string") this.#reports.send({ kind: "refused", reason: prepared }, true);
    else {
      await sendShare({
        order,
        prepared,
        link,
        lease,
        clock: this.#clock,
        counters: this.#counters,
        barrier: this.#barrier,
        hold: this.#hold,
        reports: this.#reports,
        control: this.#control,
        started: this.#started,
        interrupt: this.#interrupt.signal,
        every: (ms, act) => this.#every(ms, act),
        reportClock: () => this.#reportClock(),
      });
    }
    await this.#sayFarewell();
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#link?.close();
  }

  #every(ms: number, act: () => void): void {
    this.#timers.push(setInterval(act, ms));
  }

  /** Nothing more is sent, and nobody will say when to begin. */
  #fallSilent(): void {
    this.#control.stoppedByOthers = true;
    const reason = this.#lease.dropped ?? "it was never granted";
    // Its own end would be taken for an orderly one.
    this.#reports.send({ kind: "lease-lost", reason }, true);
    this.#control.stop({ kind: "agent", words: `lease lost: ${reason}` });
    this.#control.cut();
    this.#interrupt.abort();
    this.#begin(this.#clock.nowMs());
  }

  async #learnClock(link: AgentLink): Promise<void> {
    const local = this.#options.clock;
    const exchanges = (): number => this.#clock.describe()?.exchanges ?? 0;
    while (exchanges() < firstExchanges && this.#lease.holds()) {
      link.askClock();
      await local.sleep(firstExchangeMs);
    }
    if (exchanges() === 0) return;
    this.#clock.settle();
    this.#every(clockEveryMs, () => {
      link.askClock();
      this.#reportClock();
    });
    this.#every(flushEveryMs, () => this.#reports.flush());
    this.#every(repeatEveryMs, () => this.#reports.repeat());
  }

  #reportClock(): void {
    const clock = this.#clock.describe();
    if (clock !== null) this.#reports.send({ kind: "clock", clock });
  }

  #hear(json: string): void {
    const message = JSON.parse(json) as ToAgent;
    if (message.kind === "hold") {
      if (Number.isFinite(message.untilMs)) this.#hold.extend(message.untilMs + this.#clock.errorMs(this.#clock.nowMs()));
      return;
    }
    if (message.kind === "agent-stopped") {
      this.#control.stoppedByOthers = true;
      this.#control.stop(message.reason);
      return;
    }
    if (message.number <= this.#lastDown) return;
    this.#lastDown = message.number;
    switch (message.kind) {
      case "start":
        this.#begin(message.startMs);
        break;
      case "interrupt":
        this.#interrupt.abort();
        this.#begin(this.#clock.nowMs());
        break;
      case "stop":
        this.#control.stoppedByOthers = true;
        this.#control.stop(message.reason);
        this.#begin(this.#clock.nowMs());
        break;
      case "rate-begins":
      case "rate-judged":
        this.#barrier.hear(message);
        break;
    }
  }

  async #sayFarewell(): Promise<void> {
    const local = this.#options.clock;
    const untilMs = local.nowMs() + farewellMs;
    while (this.#reports.unacknowledged > 0 && this.#lease.holds() && local.nowMs() < untilMs) {
      this.#reports.flush();
      this.#link?.askClock();
      await local.sleep(firstExchangeMs);
    }
  }
}
