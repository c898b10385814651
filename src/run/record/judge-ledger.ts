import type { PassiveCounts } from "../../conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { ColumnError } from "../../core/ledger/column.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import type { CalibrationResult, LoadProfileResult } from "../../core/result/load-result.ts";
import { unpackOps } from "../../limits/history/op-columns.ts";
import { doubtInstrument } from "../../load/generator/doubt-instrument.ts";
import { judgeProfile } from "../../load/ledger/judge-profile.ts";
import type { LedgerLine, MeasuredLine, ProfileLine } from "../../load/ledger/ledger-line.ts";
import { unpackRecords } from "../../load/ledger/record-columns.ts";
import type { LoadRecord } from "../../load/samples/load-record.ts";
import type { HealthSecond } from "../../load/generator/generator-health.ts";
import type { ShareResult } from "../../load/workers/share-result.ts";
import type { MeasuredLoad } from "../verdict/find-load-findings.ts";
import { watchProfile } from "../traffic/watch-profile.ts";
import type { LimitWatch } from "../traffic/watch-limits.ts";
import type { LoadLine } from "./ledger-file.ts";
import { readPassiveCounts } from "./passive-json.ts";

/** Judges the load of a run from its ledger, line by line. */
export interface LedgerJudge {
  /** Throws a ColumnError for a line that no run writes. */
  take(line: LoadLine): void;
  /** After the last line. */
  finish(): MeasuredLoad;
}

/** Rows of one line; a run writes fewer. */
const mostRows = 4096;

/** What a loop measured, as far as it got. */
interface OpenShare {
  readonly startMs: number;
  readonly fromMs: number;
  readonly records: LoadRecord[];
  readonly health: HealthSecond[];
  end: Extract<LedgerLine, { readonly kind: "share" }> | null;
}

interface OpenProfile {
  readonly manifest: ManifestFacts;
  watch: LimitWatch | null;
  /** Came before the profile that they belong to. */
  readonly early: Exchange[];
  header: ProfileLine | null;
  readonly shares: Map<number, OpenShare>;
  end: MeasuredLine | null;
}

export function createLedgerJudge({ strict }: { readonly strict: boolean }): LedgerJudge {
  const profiles: LoadProfileResult[] = [];
  const loadFindings: MeasuredLoad["loadFindings"][number][] = [];
  let calibration: CalibrationResult | null = null;
  let passive: PassiveCounts | null = null;
  let seen = false;
  let open: OpenProfile | null = null;

  const conclude = (): void => {
    const { header, watch, shares, end } = open ?? { header: null, watch: null, shares: null, end: null };
    open = null;
    if (header === null || watch === null || shares === null || shares.size === 0) return;
    const loops = [...shares].toSorted(([one], [other]) => one - other).map(([, share]) => closeShare(share));
    const measured = judgeProfile({ header, shares: loops, end: end ?? { kind: "measured" }, limits: watch.figure });
    loadFindings.push(...watch.findings());
    profiles.push(doubtInstrument({ ...measured, limitChecks: watch.checks() }, calibration));
  };
  const profile = (): OpenProfile => open ?? refuse("it stands outside a profile");
  const share = (loop: number): OpenShare => profile().shares.get(loop) ?? refuse(`loop ${loop} has not begun`);

  const take = (line: LoadLine): void => {
    switch (line.kind) {
      case "calibration":
        seen = true;
        ({ calibration } = line);
        return;
      case "watch":
        conclude();
        open = { manifest: line.manifest, watch: null, early: [], header: null, shares: new Map(), end: null };
        return;
      case "exchange": {
        const { watch, early } = profile();
        if (watch === null) early.push(line.exchange);
        else watch.onExchange(line.exchange);
        return;
      }
      case "ops":
        for (const op of unpackOps(line.columns, rowsOf(line))) profile().watch?.onOp(op);
        return;
      case "profile": {
        const current = profile();
        current.header = line;
        current.watch = watchProfile(line.profile, current.manifest, strict);
        for (const exchange of current.early) current.watch.onExchange(exchange);
        return;
      }
      case "start":
        profile().shares.set(line.loop, { startMs: line.startMs, fromMs: line.fromMs, records: [], health: [], end: null });
        return;
      case "records": {
        const { header } = profile();
        const { slo } = header?.profile ?? refuse("it stands before its profile");
        const { records } = share(line.loop);
        for (const record of unpackRecords(line.columns, rowsOf(line), slo)) records.push(record);
        return;
      }
      case "health":
        share(line.loop).health.push(...line.samples);
        return;
      case "share":
        share(line.loop).end = line;
        return;
      case "measured":
        profile().end = line;
        return;
      case "watched":
        conclude();
        return;
      case "passive":
        passive = readPassiveCounts(line.counts);
        return;
      case "header":
      case "end":
        return;
      default:
        refuse("its kind is not known");
    }
  };
  return {
    take,
    finish() {
      conclude();
      return { load: seen ? { profiles, calibration } : null, loadFindings, passive };
    },
  };
}

/** Of a loop that did not end in order: as if it had been stopped after what it wrote last. */
function closeShare({ startMs, fromMs, records, health, end }: OpenShare): ShareResult {
  if (end !== null) {
    const { kind: _kind, loop: _loop, ...rest } = end;
    return { startMs, fromMs, records, health, ...rest };
  }
  const endMs = records.reduce((latest, record) => Math.max(latest, record.endMs), fromMs);
  const sent = records.filter((record) => record.outcome !== "not-sent");
  return {
    startMs,
    fromMs,
    records,
    health,
    areaMs: 0,
    planned: records.filter((record) => record.attempt === 1).length,
    retried: records.filter((record) => record.attempt > 1).length,
    races: { count: 0, outOf: sent.length },
    toMs: endMs,
    endMs,
    rates: [],
    stopReason: "the run ended before it was over",
  };
}

function rowsOf({ rows }: { readonly rows: number }): number {
  return Number.isInteger(rows) && rows > 0 && rows <= mostRows ? rows : refuse("it claims rows that no line holds");
}

function refuse(why: string): never {
  throw new ColumnError(why);
}
