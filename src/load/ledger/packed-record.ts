import type { LoadRecord, StreamFacts } from "../samples/load-record.ts";
import type { ArrivalGroup, ServerTimings } from "../samples/stream-progress.ts";

/** A text for every row: its place in the list, NaN for null. */
export interface PackedTexts {
  readonly of: readonly string[];
  readonly at: Float64Array;
}

/** Bits of `flags`. */
export const flagBits = { good: 1, tokensEstimated: 2, tpotEstimated: 4, maybeGood: 8 } as const;

/** Members of a record that hold this, or null. */
type MembersOf<Value> = {
  [Member in keyof LoadRecord]: LoadRecord[Member] extends Value | null ? Member : never;
}[keyof LoadRecord];

/** Members of the rows of one ledger line: numbers in milliseconds or as they are, NaN for null. Columns of equal values are shared. */
export interface RecordChunk
  extends Readonly<Record<MembersOf<number>, Float64Array>>, Readonly<Record<MembersOf<string>, PackedTexts>> {
  readonly flags: Float64Array;
  /** Bits of `streamMembers`; NaN: no stream. */
  readonly stream: Float64Array;
  readonly timings: PackedTimings | null;
  readonly reused: Float64Array;
  /** Of each row and one more: where its groups begin. */
  readonly groupStart: Uint32Array;
  readonly groupAtMs: Float64Array;
  readonly groupEvents: Float64Array;
  readonly groupTokens: Float64Array;
}

export interface PackedTimings {
  readonly source: PackedTexts;
  readonly queueMs: Float64Array;
  readonly prefillMs: Float64Array;
  readonly decodeMs: Float64Array;
  readonly decodedTokens: Float64Array;
}

export const streamMembers = ["done", "finished", "broken", "continuousUsage", "ownForm"] as const;

const noGroups: readonly ArrivalGroup[] = [];

/** A row of a chunk, read when it is asked for: a million of these take a fifth of the memory of as many objects. */
export class PackedRecord implements LoadRecord {
  private readonly chunk: RecordChunk;
  private readonly row: number;

  constructor(chunk: RecordChunk, row: number) {
    this.chunk = chunk;
    this.row = row;
  }

  get seq(): number {
    return this.chunk.seq[this.row] ?? 0;
  }

  get endpoint(): LoadRecord["endpoint"] {
    return (textAt(this.chunk.endpoint, this.row) ?? "chat") as LoadRecord["endpoint"];
  }

  get label(): string {
    return textAt(this.chunk.label, this.row) ?? "";
  }

  get phase(): LoadRecord["phase"] {
    return (textAt(this.chunk.phase, this.row) ?? "measure") as LoadRecord["phase"];
  }

  get step(): number {
    return this.chunk.step[this.row] ?? 0;
  }

  get intendedMs(): number {
    return this.chunk.intendedMs[this.row] ?? 0;
  }

  get issuedMs(): number {
    return this.chunk.issuedMs[this.row] ?? 0;
  }

  get sentMs(): number {
    return this.chunk.sentMs[this.row] ?? 0;
  }

  get headersMs(): number | null {
    return numberAt(this.chunk.headersMs, this.row);
  }

  get firstByteMs(): number | null {
    return numberAt(this.chunk.firstByteMs, this.row);
  }

  get firstEventMs(): number | null {
    return numberAt(this.chunk.firstEventMs, this.row);
  }

  get firstTokenMs(): number | null {
    return numberAt(this.chunk.firstTokenMs, this.row);
  }

  get firstTokenEarliestMs(): number | null {
    return numberAt(this.chunk.firstTokenEarliestMs, this.row);
  }

  get firstOutputMs(): number | null {
    return numberAt(this.chunk.firstOutputMs, this.row);
  }

  get answeredMs(): number {
    return this.chunk.answeredMs[this.row] ?? 0;
  }

  get endMs(): number {
    return this.chunk.endMs[this.row] ?? 0;
  }

  get status(): number | null {
    return numberAt(this.chunk.status, this.row);
  }

  get outcome(): LoadRecord["outcome"] {
    return (textAt(this.chunk.outcome, this.row) ?? "not-sent") as LoadRecord["outcome"];
  }

  get notSent(): LoadRecord["notSent"] {
    return textAt(this.chunk.notSent, this.row) as LoadRecord["notSent"];
  }

  get attempt(): number {
    return this.chunk.attempt[this.row] ?? 1;
  }

  get good(): boolean {
    return this.has(flagBits.good);
  }

  get maybeGood(): boolean {
    return this.has(flagBits.maybeGood);
  }

  get promptTokens(): number | null {
    return numberAt(this.chunk.promptTokens, this.row);
  }

  get askedPrompt(): number | null {
    return numberAt(this.chunk.askedPrompt, this.row);
  }

  get askedOutput(): number | null {
    return numberAt(this.chunk.askedOutput, this.row);
  }

  get cachedTokens(): number | null {
    return numberAt(this.chunk.cachedTokens, this.row);
  }

  get session(): number | null {
    return numberAt(this.chunk.session, this.row);
  }

  get turn(): number | null {
    return numberAt(this.chunk.turn, this.row);
  }

  get outputTokens(): number | null {
    return numberAt(this.chunk.outputTokens, this.row);
  }

  get hiddenTokens(): number | null {
    return numberAt(this.chunk.hiddenTokens, this.row);
  }

  get tokensEstimated(): boolean {
    return this.has(flagBits.tokensEstimated);
  }

  get contentEvents(): number {
    return this.chunk.contentEvents[this.row] ?? 0;
  }

  get tpotMs(): number | null {
    return numberAt(this.chunk.tpotMs, this.row);
  }

  get tpotEstimated(): boolean {
    return this.has(flagBits.tpotEstimated);
  }

  get stream(): StreamFacts | null {
    const bits = numberAt(this.chunk.stream, this.row);
    if (bits === null) return null;
    const [done, finished, broken, continuousUsage, ownForm] = streamMembers.map((_, place) => (bits & (1 << place)) !== 0);
    return {
      done: done === true,
      finished: finished === true,
      broken: broken === true,
      continuousUsage: continuousUsage === true,
      ...(ownForm === true && { ownForm }),
    };
  }

  get serverTimings(): ServerTimings | null {
    const { timings } = this.chunk;
    const source = timings === null ? null : textAt(timings.source, this.row);
    if (timings === null || source === null) return null;
    return {
      source: source as ServerTimings["source"],
      queueMs: numberAt(timings.queueMs, this.row),
      prefillMs: numberAt(timings.prefillMs, this.row),
      decodeMs: numberAt(timings.decodeMs, this.row),
      decodedTokens: numberAt(timings.decodedTokens, this.row),
    };
  }

  get reusedConnection(): boolean | null {
    const reused = numberAt(this.chunk.reused, this.row);
    return reused === null ? null : reused === 1;
  }

  get connection(): number | null {
    return numberAt(this.chunk.connection, this.row);
  }

  get arrivals(): number {
    return this.chunk.arrivals[this.row] ?? 0;
  }

  get longestGapMs(): number | null {
    return numberAt(this.chunk.longestGapMs, this.row);
  }

  get middleGapMs(): number | null {
    return numberAt(this.chunk.middleGapMs, this.row);
  }

  get groups(): readonly ArrivalGroup[] {
    const { groupStart, groupAtMs, groupEvents, groupTokens } = this.chunk;
    const [from, to] = [groupStart[this.row] ?? 0, groupStart[this.row + 1] ?? 0];
    if (from === to) return noGroups;
    const groups: ArrivalGroup[] = [];
    for (let at = from; at < to; at += 1) {
      groups.push({ atMs: groupAtMs[at] ?? 0, events: groupEvents[at] ?? 0, tokens: numberAt(groupTokens, at) });
    }
    return groups;
  }

  private has(bit: number): boolean {
    return ((this.chunk.flags[this.row] ?? 0) & bit) !== 0;
  }
}

function numberAt(column: Float64Array, row: number): number | null {
  const value = column[row] ?? Number.NaN;
  return Number.isNaN(value) ? null : value;
}

function textAt({ of, at }: PackedTexts, row: number): string | null {
  return of[at[row] ?? -1] ?? null;
}
