import type { PassiveCounts } from "../../conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { joinRepeats } from "../../load/judge/join-repeats.ts";
import { ColumnError } from "../../core/columns/column.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import type { InstrumentAccuracy } from "../../core/result/generator-health.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { unpackOps } from "../../limits/history/op-columns.ts";
import { judgeProfile } from "../../load/judge/judge-profile.ts";
import type { Gate } from "../../load/profile/gate.ts";
import { nameGates } from "../../load/gates/name-gates.ts";
import { parseGate } from "../../load/gates/parse-gate.ts";
import { resolveWhere } from "../../load/gates/resolve-where.ts";
import type { MeasuredLine, ProfileLine } from "../../load/ledger/ledger-line.ts";
import { closeShare, type OpenShare, openShare, takeOverflow } from "../../load/ledger/open-share.ts";
import { unpackSaid } from "../../load/ledger/said-log.ts";
import { SharedColumns } from "../../load/ledger/shared-columns.ts";
import { unpackRecords } from "../../load/ledger/unpack-records.ts";
import type { MeasuredLoad } from "../verdict/find-load-findings.ts";
import { watchProfile } from "../traffic/watch-profile.ts";
import { finishWatch, type LimitWatch } from "../traffic/watch-limits.ts";
import type { LoadLine } from "./ledger-file.ts";
import { readPassiveCounts } from "./passive-json.ts";

/** Rows of one line; a run writes fewer. */
const mostRows = 4096;

/** Judges the load of a run from its ledger, line by line. */
export class LedgerJudge {
  readonly #strict: boolean;
  readonly #shared = new SharedColumns();
  readonly #profiles: LoadProfileResult[] = [];
  readonly #findings: Finding[] = [];
  /** Answers that violate a requirement, counted by it. */
  readonly #said = new Map<string, number>();
  #measuresLoad = false;
  #accuracy: InstrumentAccuracy = { calibration: null };
  #passive: PassiveCounts | null = null;
  #open: OpenProfile | null = null;

  constructor({ strict }: { readonly strict: boolean }) {
    this.#strict = strict;
  }

  /** Throws a ColumnError for a line that no run writes. */
  take(line: LoadLine): void {
    switch (line.kind) {
      case "header":
      case "end":
        return;
      case "calibration":
        this.#measuresLoad = true;
        this.#accuracy = readAccuracy(line);
        return;
      case "watch":
        this.#conclude();
        this.#open = new OpenProfile(line.manifest, this.#strict, this.#shared);
        return;
      case "watched":
        this.#conclude();
        return;
      case "said":
        rowsOf(line);
        for (const { requirement } of unpackSaid(line)) this.#said.set(requirement, (this.#said.get(requirement) ?? 0) + 1);
        return;
      case "passive":
        this.#passive = readPassiveCounts(line.counts);
        compareSaid(this.#said, this.#passive);
        return;
      case "exchange":
      case "probe":
      case "ops":
      case "profile":
      case "start":
      case "records":
      case "overflow":
      case "health":
      case "share":
      case "measured":
        (this.#open ?? refuse("it is outside a profile")).take(line);
        return;
      default:
        refuse("its kind is not known");
    }
  }

  /** After the last line. */
  finish(): MeasuredLoad {
    this.#conclude();
    const load = this.#measuresLoad ? { profiles: joinRepeats(this.#profiles), ...this.#accuracy } : null;
    return { load, loadFindings: this.#findings, passive: this.#passive };
  }

  #conclude(): void {
    const judged = this.#open?.judge(this.#accuracy) ?? null;
    this.#open = null;
    if (judged === null) return;
    this.#findings.push(...judged.findings);
    this.#profiles.push(judged.result);
  }
}

type LineOfProfile = Exclude<
  LoadLine,
  { readonly kind: "header" | "calibration" | "watch" | "watched" | "said" | "passive" | "end" }
>;

/** The figures of one profile by the lines since the watch began. */
class OpenProfile {
  readonly #manifest: ManifestFacts;
  readonly #strict: boolean;
  readonly #columns: SharedColumns;
  /** Exchanges that came before the profile that they belong to. */
  readonly #early: Exchange[] = [];
  readonly #shares = new Map<number, OpenShare>();
  #header: ProfileLine | null = null;
  #watch: LimitWatch | null = null;
  #end: MeasuredLine = { kind: "measured" };

  constructor(manifest: ManifestFacts, strict: boolean, columns: SharedColumns) {
    this.#manifest = manifest;
    this.#strict = strict;
    this.#columns = columns;
  }

  take(line: LineOfProfile): void {
    switch (line.kind) {
      case "exchange":
        if (this.#watch === null) this.#early.push(line.exchange);
        else this.#watch.onExchange(line.exchange);
        return;
      case "probe":
        this.#watch?.onProbe(line.exchange);
        return;
      case "ops":
        for (const op of unpackOps(line.columns, rowsOf(line))) this.#watch?.onOp(op);
        return;
      case "profile":
        this.#begin(line);
        return;
      case "start":
        this.#shares.set(line.loop, openShare(line));
        return;
      case "records": {
        const { slo } = this.#header?.profile ?? refuse("it comes before its profile");
        const { records } = this.#share(line.loop);
        for (const record of unpackRecords(line.columns, rowsOf(line), slo, this.#columns)) records.push(record);
        return;
      }
      case "overflow":
        takeOverflow(this.#share(line.loop), line);
        return;
      case "health":
        this.#share(line.loop).health.push(...line.samples);
        return;
      case "share":
        this.#share(line.loop).end = line;
        return;
      case "measured":
        this.#end = line;
    }
  }

  /** null: nothing was sent. */
  judge(accuracy: InstrumentAccuracy): { readonly result: LoadProfileResult; readonly findings: readonly Finding[] } | null {
    const [header, watch, end] = [this.#header, this.#watch, this.#end];
    if (header === null || watch === null || this.#shares.size === 0) return null;
    const shares = [...this.#shares].toSorted(([one], [other]) => one - other).map(([, share]) => closeShare(share));
    const gates = readGates(header);
    const watched = finishWatch(watch, end.agents ?? []);
    return { result: judgeProfile({ header, gates, shares, end, watched, ...accuracy }), findings: watched.findings };
  }

  #begin(line: ProfileLine): void {
    this.#header = line;
    this.#watch = watchProfile(line.profile, this.#manifest, this.#strict, false);
    for (const exchange of this.#early) this.#watch.onExchange(exchange);
  }

  #share(worker: number): OpenShare {
    return this.#shares.get(worker) ?? refuse(`worker ${worker} has not begun`);
  }
}

function readAccuracy({ calibration, uncalibrated }: InstrumentAccuracy): InstrumentAccuracy {
  if (uncalibrated === undefined) return { calibration };
  return typeof uncalibrated === "string" ? { calibration: null, uncalibrated } : refuse("its reason is no text");
}

function readGates({ profile }: ProfileLine): readonly Gate[] {
  const gates = profile.gates.map((expression) => {
    try {
      return resolveWhere(parseGate(expression), profile.workload);
    } catch {
      return refuse("a gate of its profile cannot be read");
    }
  });
  return nameGates(gates);
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
