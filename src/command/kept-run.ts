import type { Result } from "../core/result/result.ts";

/** A run folder that was found. */
export interface KeptRun {
  /** Path from the folder that was searched, with slashes. */
  readonly path: string;
  /** Its own label, else the folders between, such as a branch; null: there is neither. */
  readonly label: string | null;
  readonly result: Result;
}
