import type { PassiveCounts } from "../../conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { ColumnError } from "../../core/ledger/column.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import type { CalibrationResult } from "../../core/result/generator-health.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { unpackOps } from "../../limits/history/op-columns.ts";
import { judgeProfile } from "../../load/ledger/judge-profile.ts";
import type { Gate } from "../../load/gates/gate.ts";
import { parseGate } from "../../load/gates/parse-gate.ts";
import type { MeasuredLine, ProfileLine } from "../../load/ledger/ledger-line.ts";
import { closeShare, type OpenShare, openShare, takeOverflow } from "../../load/ledger/open-share.ts";
import { unpackSaid } from "../../load/ledger/said-log.ts";
import { scenarioOfLedger } from "../../load/profile/limit-scenarios.ts";
import { SharedColumns } from "../../load/ledger/shared-columns.ts";
import { unpackRecords } from "../../load/ledger/unpack-records.ts";
import type { MeasuredLoad } from "../verdict/find-load-findings.ts";
import { watchProfile } from "../traffic/watch-profile.ts";
import { finishWatch, type LimitWatch } from "../traffic/watch-limits.ts";
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

interface OpenProfile {
  readonly manifest: ManifestFacts;
  watch: LimitWatch | null;
  /** Exchanges that came before the profile that they belong to. */
  readonly early: Exchange[];
  header: ProfileLine | null;
  readonly shares: Map<number, OpenShare>;
  end: MeasuredLine | null;
}

export function createLedgerJudge({ strict }: { readonly strict: boolean }): LedgerJudge {
  const profiles: LoadProfileResult[] = [];
  const loadFindings: Finding[] = [];
  let calibration: CalibrationResult | null = null;
  let passive: PassiveCounts | null = null;
  const shared = new SharedColumns();
  /** Answers that violate a requirement, counted by it. */
  const said = new Map<string, number>();
  let seen = false;
  let open: OpenProfile | null = null;

  const conclude = (): void => {
    const { header, watch, shares, end } = open ?? { header: null, watch: null, shares: null, end: null };
    open = null;
    if (header === null || watch === null || shares === null || shares.size === 0) return;
    const parts = [...shares].toSorted(([one], [other]) => one - other).map(([, share]) => closeShare(share));
    const gates = readGates(header);
    const watched = finishWatch(watch, end?.agents ?? []);
    loadFindings.push(...watched.findings);
    profiles.push(judgeProfile({ header, gates, shares: parts, end: end ?? { kind: "measured" }, watched, calibration }));
  };
  const profile = (): OpenProfile => open ?? refuse("it is outside a profile");
  const share = (worker: number): OpenShare => profile().shares.get(worker) ?? refuse(`worker ${worker} has not begun`);

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
        current.watch = watchProfile(
          { ...line.profile, limitScenario: scenarioOfLedger(line.profile) },
          current.manifest,
          strict,
          false,
        );
        for (const exchange of current.early) current.watch.onExchange(exchange);
        return;
      }
      case "start":
        profile().shares.set(line.loop, openShare(line));
        return;
      case "records": {
        const { header } = profile();
        const { slo } = header?.profile ?? refuse("it comes before its profile");
        const { records } = share(line.loop);
        for (const record of unpackRecords(line.columns, rowsOf(line), slo, shared)) records.push(record);
        return;
      }
      case "overflow":
        takeOverflow(share(line.loop), line);
        return;
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
      case "said":
        rowsOf(line);
        for (const { requirement } of unpackSaid(line)) said.set(requirement, (said.get(requirement) ?? 0) + 1);
        return;
      case "passive":
        passive = readPassiveCounts(line.counts);
        compareSaid(said, passive);
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

function readGates({ profile }: ProfileLine): readonly Gate[] {
  return profile.gates.map((expression) => {
    try {
      return parseGate(expression);
    } catch {
      return refuse("a gate of its profile cannot be read");
    }
  });
}

/** Nothing is counted that no judge said of an answer. An agent that was lost has said more than it could count in the end. */
function compareSaid(said: ReadonlyMap<string, number>, { tallies }: PassiveCounts): void {
  const counted = new Map<string, number>();
  for (const { requirement, count } of tallies.values()) counted.set(requirement, (counted.get(requirement) ?? 0) + count);
  for (const [requirement, all] of counted) {
    const one = said.get(requirement) ?? 0;
    if (one < all) refuse(`it counts ${all} violations of ${requirement}, and judges said so of ${one} answers`);
  }
}

function rowsOf({ rows }: { readonly rows: number }): number {
  return Number.isInteger(rows) && rows > 0 && rows <= mostRows ? rows : refuse("it claims rows that no line holds");
}

function refuse(why: string): never {
  throw new ColumnError(why);
}
