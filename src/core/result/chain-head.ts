/** The end of a chained file: lines that are cut off the end are noticed by it. */
export interface ChainHead {
  readonly lines: number;
  /** SHA-256 of the last line without its line feed, hexadecimal; empty where there is no line. */
  readonly sha256: string;
}

/** Ends of the files of a run; null: there is no such file. */
export interface FileHeads {
  readonly evidence: ChainHead | null;
  readonly load: ChainHead | null;
}
