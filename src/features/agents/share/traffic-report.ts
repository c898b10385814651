import type { PassiveValidator } from "../../../conformance/verdict/passive-validator.ts";
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
import type { FollowedClock } from "./agent-clock.ts";
import type { AgentOrder } from "../messages/agent-order.ts";
import type { AgentReports } from "./agent-reports.ts";

export interface TrafficReportOptions {
  readonly order: AgentOrder;
  readonly manifest: Manifest;
  readonly clock: Pick<FollowedClock, "errorMs">;
  readonly reports: Pick<AgentReports, "send">;
  readonly passive: PassiveValidator;
}

/** The report of an agent on its traffic. Secrets that the target sent back are masked before anything leaves the process. */
export interface TrafficReport {
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

export function createTrafficReport({ order, manifest, clock, reports, passive }: TrafficReportOptions): TrafficReport {
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
