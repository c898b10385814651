import type { Result } from "../../../core/result/result.ts";

/** A run folder that was found. */
export interface KeptRun {
  /** Path from the folder that was searched, with slashes. */
  readonly path: string;
  /** The folders between, such as a commit or a branch; null: there are none. */
  readonly label: string | null;
  readonly result: Result;
}
