import type { LoadRecord } from "./load-record.ts";

/** A record as it is, whatever its members are read from: a spread of one of a ledger holds none. Readings of it change some members. */
export class RecordView implements LoadRecord {
  protected readonly record: LoadRecord;

  constructor(record: LoadRecord) {
    this.record = record;
  }

  get seq(): number {
    return this.record.seq;
  }

  get endpoint(): LoadRecord["endpoint"] {
    return this.record.endpoint;
  }

  get label(): string {
    return this.record.label;
  }

  get phase(): LoadRecord["phase"] {
    return this.record.phase;
  }

  get step(): number {
    return this.record.step;
  }

  get intendedMs(): number {
    return this.record.intendedMs;
  }

  get issuedMs(): number {
    return this.record.issuedMs;
  }

  get sentMs(): number {
    return this.record.sentMs;
  }

  get headersMs(): number | null {
    return this.record.headersMs;
  }

  get firstByteMs(): number | null {
    return this.record.firstByteMs;
  }

  get firstEventMs(): number | null {
    return this.record.firstEventMs;
  }

  get firstTokenMs(): number | null {
    return this.record.firstTokenMs;
  }

  get firstTokenEarliestMs(): number | null {
    return this.record.firstTokenEarliestMs;
  }

  get firstOutputMs(): number | null {
    return this.record.firstOutputMs;
  }

  get answeredMs(): number {
    return this.record.answeredMs;
  }

  get endMs(): number {
    return this.record.endMs;
  }

  get status(): number | null {
    return this.record.status;
  }

  get outcome(): LoadRecord["outcome"] {
    return this.record.outcome;
  }

  get notSent(): LoadRecord["notSent"] {
    return this.record.notSent;
  }

  get attempt(): number {
    return this.record.attempt;
  }

  get good(): boolean {
    return this.record.good;
  }

  get maybeGood(): boolean {
    return this.record.maybeGood;
  }

  get promptTokens(): number | null {
    return this.record.promptTokens;
  }

  get askedPrompt(): number | null {
    return this.record.askedPrompt;
  }

  get askedOutput(): number | null {
    return this.record.askedOutput;
  }

  get cachedTokens(): number | null {
    return this.record.cachedTokens;
  }

  get session(): number | null {
    return this.record.session;
  }

  get turn(): number | null {
    return this.record.turn;
  }

  get outputTokens(): number | null {
    return this.record.outputTokens;
  }

  get tokensEstimated(): boolean {
    return this.record.tokensEstimated;
  }

  get hiddenTokens(): number | null {
    return this.record.hiddenTokens;
  }

  get arrivals(): number {
    return this.record.arrivals;
  }

  get groups(): LoadRecord["groups"] {
    return this.record.groups;
  }

  get longestGapMs(): number | null {
    return this.record.longestGapMs;
  }

  get middleGapMs(): number | null {
    return this.record.middleGapMs;
  }

  get contentEvents(): number {
    return this.record.contentEvents;
  }

  get tpotMs(): number | null {
    return this.record.tpotMs;
  }

  get tpotEstimated(): boolean {
    return this.record.tpotEstimated;
  }

  get stream(): LoadRecord["stream"] {
    return this.record.stream;
  }

  get serverTimings(): LoadRecord["serverTimings"] {
    return this.record.serverTimings;
  }

  get reusedConnection(): boolean | null {
    return this.record.reusedConnection;
  }

  get connection(): number | null {
    return this.record.connection;
  }
}
