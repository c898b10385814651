import type { ExaminedEndpoint, Manifest } from "../core/manifest.ts";
import type { OnProgress } from "../core/progress.ts";
import type { RunSettings } from "../core/result/run-header.ts";
import type { SuiteId } from "../core/result/requirement.ts";
import type { ChallengeRecorder } from "./challenge-recorder.ts";
import type { LoadedProfile } from "../load/plan/read-profile.ts";
import type { ExpectedScope } from "./scope/expected-scope.ts";
import type { RemoteSenders } from "./workers/remote-senders.ts";
import type { ReporterRequest } from "../report/reporters/reporter.ts";

export const stageNames = ["conformance", "limits", "load"] as const;
export type Stage = (typeof stageNames)[number];

/** One run as asked for, flags and manifest merged. */
export interface RunOptions extends RunSettings {
  readonly stages: readonly Stage[];
  /** null: start the embedded reference service and test that. */
  readonly manifest: Manifest | null;
  /** Switches of the embedded reference service. */
  readonly variants: readonly string[];
  readonly mutants: readonly string[];
  readonly suites: readonly SuiteId[];
  readonly cases: readonly string[];
  /** Ids of requirements that are asked for; empty: all. */
  readonly requirements: readonly string[];
  /** Ids of limit checks that are asked for; the requirements that they decide are in `requirements`. Absent: none by its id. */
  readonly checks?: readonly string[];
  /** Beside `require` of the manifest: what has to be judged for exit code 0. */
  readonly require: readonly string[];
  /** The rows that an earlier run judged and this one has to judge as well; null: nothing is expected. */
  readonly expected: ExpectedScope | null;
  readonly profiles: readonly LoadedProfile[];
  /** Machines that send the load profiles; absent: this one. */
  readonly agents?: RemoteSenders;
  /** null: short in real time, full where the clock is virtual and time costs nothing. */
  readonly exam: "short" | "full" | null;
  /** Generated requests hold each three options together; absent: each two. */
  readonly thorough?: boolean;
  /** Endpoint whose request limit is examined in depth, in place of what the manifest says. */
  readonly endpoint?: ExaminedEndpoint;
  readonly outDir: string;
  /** Reporters beside the files that are always written. */
  readonly reporters: readonly ReporterRequest[];
  readonly signal: AbortSignal;
  /** Which signal ended the run, null while none did. */
  readonly interruptedBy: () => "SIGINT" | "SIGTERM" | null;
  readonly onProgress: OnProgress;
  /** Holds the run to a challenge. */
  readonly challengeRecorder?: ChallengeRecorder;
}
