import type { FileHeads } from "../core/result/chain-head.ts";

/** A file of the run folder. */
export interface FileDigest {
  readonly name: string;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly sha256: string;
}

/** A run that has its folder and has sent nothing yet. */
export interface BegunRun {
  readonly runId: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly folder: string;
  readonly command: readonly string[];
  /** Ends of the files as they are now. */
  readonly heads: () => FileHeads;
}

/** Called before the first request; what it gives back is called after the last and returns what it has written. */
export type ChallengeRecorder = (run: BegunRun) => () => Promise<readonly FileDigest[]>;
