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
import type { Exchange } from "../../../core/exchange/exchange.ts";
import { visibleJson } from "../../../core/exchange/bodies/visible-json.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { readOp } from "../../../limits/history/history.ts";
import type { LimitOp } from "../../../limits/history/op.ts";
import { packOps, roundOp } from "../../../limits/history/op-columns.ts";
import { widenOp } from "../../../limits/history/widen-op.ts";
import type { LedgerSink } from "../../../load/ledger/record-log.ts";
import { createRedactor } from "../../../wire/redaction/redaction.ts";
import type { PassiveJson } from "../../../run/record/ledger-file.ts";
import { maskRecord } from "../../../run/record/mask-record.ts";
import { writePassiveCounts } from "../../../run/record/passive-json.ts";
import { createLoadSampler } from "../../../run/workers/load-sampler.ts";
import { numberConnection } from "../../../run/workers/number-connection.ts";

interface TrafficReportOptions {
  readonly order: AgentOrder;
  readonly manifest: Manifest;
  readonly clock: Pick<FollowedClock, "errorMs">;
  readonly reports: Pick<AgentReports, "send">;
  readonly passive: PassiveValidator;
}

/** The report of an agent on its traffic. Secrets that the target sent back are masked before anything leaves the process. */
interface TrafficReport {
  readonly ledger: LedgerSink;
  readonly observe: (exchange: Exchange) => void;
  readonly offerOp: (exchange: Exchange) => void;
  readonly transportRaces: () => number;
  /** The counts of the verdicts on the answers so far. */
  readonly describePassive: () => PassiveJson;
  readonly flush: () => void;
}

/** Requests of one report. */
const mostRows = 256;

function createTrafficReport({ order, manifest, clock, reports, passive }: TrafficReportOptions): TrafficReport {
  const { maskDeep } = createRedactor(manifest);
  const isSampled = createLoadSampler(order.evidence);
  let ops: LimitOp[] = [];
  let races = 0;
  const flush = (): void => {
    if (ops.length === 0) return;
    reports.send({ kind: "ops", rows: ops.length, columns: packOps(ops) });
    ops = [];
  };
  return {
    flush,
    ledger(json) {
      // Why a share ended may be in the words of the target.
      const isEnd = json.startsWith('{"kind":"share"');
      reports.send({ kind: "ledger", json: isEnd ? visibleJson(maskRecord(JSON.parse(json) as unknown, maskDeep)) : json });
      if (isEnd) flush();
    },
    observe(exchange) {
      passive.observe(exchange);
      if (exchange.failure?.kind === "reused-connection-closed") races += 1;
      if (!isSampled(exchange)) return;
      const plain = JSON.parse(JSON.stringify(numberConnection(exchange, order.agent))) as Exchange;
      reports.send({ kind: "exchanges", exchanges: [maskRecord(plain, maskDeep)] });
    },
    offerOp(exchange) {
      const op = readOp(exchange);
      if (op === null) return;
      const { headerProblems, retry } = op;
      const isPlain = headerProblems.length === 0 && retry === null;
      const masked = isPlain ? op : { ...op, ...maskRecord({ headerProblems, retry }, maskDeep) };
      ops.push(roundOp(widenOp(masked, clock.errorMs(op.sentMs))));
      if (ops.length === mostRows) flush();
    },
    transportRaces: () => races,
    describePassive: () => maskRecord(writePassiveCounts(passive.counts()), maskDeep),
  };
}

/** Ends the sends of a share when the coordinator says so. */
export interface ShareControl {
  /** Ends the sends under way; before the first one it is kept, and ends them then. */
  readonly stop: (reason: EarlyEnd) => void;
  /** Called once, before the first send, with the way to end them. */
  readonly attach: (stop: (reason: EarlyEnd) => void) => void;
  /** Cuts what is in flight; set once there is something to cut. */
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
      engine.stopped.addEventListener("abort", () => {
        const reason = engine.stopReason;
        if (reason === null || control.stoppedByOthers || reason.kind === "interrupted") return;
        sendAll({ kind: "agent-stopped", reason });
      });
      control.attach((reason) => engine.stop(reason));
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
