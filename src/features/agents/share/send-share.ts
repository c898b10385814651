import { allJudges } from "../../../conformance/judges/all-judges.ts";
import { PassiveValidator } from "../../../conformance/verdict/passive-validator.ts";
import type { AgentLink } from "../broker/agent-link.ts";
import type { EscrowCounters } from "../budget/escrow-counters.ts";
import type { Lease } from "../lease/lease.ts";
import { createSaidLog } from "../../../load/ledger/said-log.ts";
import type { EarlyEnd } from "../../../load/samples/early-end.ts";
import type { Hold } from "../../../load/send/hold.ts";
import { measureShare } from "../../../load/workers/measure-share.ts";
import { createBudget } from "../../../wire/budget/budget.ts";
import { createWire, type Wire } from "../../../wire/client/wire.ts";
import type { createWorkerBarrier } from "../../../run/workers/worker-barrier.ts";
import type { FollowedClock } from "./agent-clock.ts";
import type { ToAgent } from "../messages/agent-messages.ts";
import type { AgentOrder } from "../messages/agent-order.ts";
import type { AgentReports } from "./agent-reports.ts";
import type { PreparedShare } from "./prepare-share.ts";
import { stackSenders } from "./stack-senders.ts";
import { createTrafficReport, type TrafficReport } from "./traffic-report.ts";

/** Ends the sends under way when the coordinator says so; set once there is something to end. */
export interface ShareControl {
  stop: (reason: EarlyEnd) => void;
  /** Cuts what is in flight. */
  cut: () => void;
  /** Said by somebody else, so that it need not be said again. */
  stoppedByOthers: boolean;
}

export interface SendShareInput {
  readonly order: AgentOrder;
  readonly prepared: PreparedShare;
  readonly link: AgentLink;
  readonly lease: Pick<Lease, "holds">;
  readonly clock: FollowedClock;
  readonly counters: EscrowCounters;
  readonly barrier: ReturnType<typeof createWorkerBarrier>;
  readonly hold: Hold;
  readonly reports: AgentReports;
  readonly control: ShareControl;
  /** Resolves to the first instant of the profile. */
  readonly started: Promise<number>;
  readonly interrupt: AbortSignal;
  /** Repeats until the share is closed. */
  readonly every: (ms: number, act: () => void) => void;
  readonly reportClock: () => void;
}

const flushTrafficEveryMs = 1000;

/** Sends the requests of one share and reports what came of them, and at the end what they cost. */
export async function sendShare(input: SendShareInput): Promise<void> {
  const { order, prepared, link, lease, clock, counters, reports, control, every, reportClock } = input;
  const { manifest, context } = prepared;
  const said = createSaidLog(order.agent, () => traffic.ledger);
  const passive = new PassiveValidator({
    judges: allJudges,
    context,
    onAccused: (seq, judge, requirement) => said.add({ seq, judge, requirement }),
  });
  const traffic = createTrafficReport({ order, manifest, clock, reports, passive });
  let lastSeq = order.lastSeq;
  let next = order.lastSeq + 1 + order.agent;
  const wire = createWire({
    manifest,
    clock,
    budget: createBudget(manifest, counters),
    mayWrite: () => lease.holds(),
    nextSeq() {
      lastSeq = next;
      next += order.agents;
      return lastSeq;
    },
    onExchange: traffic.observe,
  });
  control.cut = () => wire.giveUp();
  every(flushTrafficEveryMs, traffic.flush);
  try {
    await measure(input, wire, traffic);
  } finally {
    await wire.close();
    said.close();
  }
  traffic.flush();
  await link.giveUnspentBack(counters.unspent()).catch(() => undefined);
  reportClock();
  reports.send(
    {
      kind: "measured",
      passive: traffic.describePassive(),
      transportRaces: traffic.transportRaces(),
      lastSeq,
      spent: counters.sums(),
    },
    true,
  );
}

async function measure(input: SendShareInput, wire: Wire, traffic: TrafficReport): Promise<void> {
  const { order, prepared, link, clock, counters, barrier, reports, control, started, interrupt, reportClock } = input;
  const { manifest, plan } = prepared;
  const sendAll = (message: ToAgent): void => link.sendAll(JSON.stringify(message));
  let stopped = interrupt;
  const hold = shareHold(input.hold, clock, sendAll);
  const senders = stackSenders({ link, wire, plan, manifest, order, stopped: () => stopped, clock, counters, hold });
  await senders.drawFirst();
  await measureShare({
    profile: order.profile,
    plan,
    share: { index: order.agent, count: order.agents },
    manifest,
    sender: senders.sender,
    clock,
    seed: order.seed,
    hold,
    barrier,
    signal: interrupt,
    ledger: traffic.ledger,
    mostRecords: order.mostRecords,
    startAt: () => {
      reportClock();
      reports.send({ kind: "ready" }, true);
      return started;
    },
    onEngine: (engine) => {
      stopped = engine.stopped;
      control.stop = (reason) => engine.stop(reason);
      engine.stopped.addEventListener("abort", () => {
        const reason = engine.stopReason;
        if (reason === null || control.stoppedByOthers || reason.kind === "interrupted") return;
        sendAll({ kind: "agent-stopped", reason });
      });
    },
    onSent: () => reports.send({ kind: "sent" }, true),
    onProgress: (event) => {
      if (event.kind === "load") reports.send({ kind: "progress", event });
    },
    onExchange: traffic.offerOp,
  });
}

/** A wait that the target asked this agent for holds back all. */
function shareHold(
  own: Hold,
  clock: Pick<FollowedClock, "nowMs" | "errorMs">,
  sendAll: (message: Extract<ToAgent, { kind: "hold" }>) => void,
): Hold {
  return {
    untilMs: () => own.untilMs(),
    extend(untilMs) {
      if (untilMs <= own.untilMs()) return;
      own.extend(untilMs);
      // As late as it may be on any other clock.
      sendAll({ kind: "hold", untilMs: untilMs + clock.errorMs(clock.nowMs()) });
    },
  };
}
