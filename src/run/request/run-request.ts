import type { ManifestFile } from "../../core/manifest-file/manifest-file.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { OnProgress } from "../../core/progress.ts";
import type { SuiteId } from "../../core/result/requirement.ts";
import type { LoadedProfile } from "../../load/plan/read-profile.ts";
import type { Reporter } from "../../report/reporters/reporter.ts";
import type { ExpectedScope } from "../scope/expected-scope.ts";
import type { Stage } from "../run-options.ts";

/**
 * A manifest written in code: the members of assay.config.yaml, where secrets are values and not `${NAME}` references. A key whose
 * secret is undefined is left out; `target` may be left out where `baseUrl` is given.
 */
export type ManifestInCode = Omit<ManifestFile, "target" | "keys"> & {
  readonly target?: Omit<ManifestFile["target"], "baseUrl"> & { readonly baseUrl?: string };
  readonly keys?: Readonly<Record<string, SecretInCode | undefined>>;
};

type SecretInCode =
  | string
  | { readonly secret: string | undefined; readonly id?: string | null; readonly createdAt?: string | null };

/**
 * The request of a program for a run. Every member may be left out; without a target the embedded reference service is tested.
 */
export interface RunRequest {
  /** Address of the target, without `/v1`. */
  readonly baseUrl?: string;
  /** The key named `primary`. Default: the variable ASSAY_API_KEY, where nothing else names a primary key. */
  readonly key?: string;
  /** Path of a manifest, or the members of one. No file is looked for by itself. */
  readonly config?: string | ManifestInCode;
  /** A resolved manifest, as `loadManifest` and `startReferenceService` give it; instead of the three members above. */
  readonly manifest?: Manifest;
  /** Default: all three, as `assay run`. */
  readonly stages?: readonly Stage[];
  /** Default: all suites. */
  readonly suites?: readonly SuiteId[];
  /** Ids of conformance cases; default: all. */
  readonly cases?: readonly string[];
  /** Ids of requirements; default: all. */
  readonly requirements?: readonly string[];
  /** The rows that have to be judged for exit code 0, beside `require` of the manifest: `complete`, suites, ids with `*`. */
  readonly require?: readonly string[];
  /** The rows that an earlier run judged (`expectScopeOf`): those of them that this run does not judge end in exit code 3. */
  readonly expected?: ExpectedScope;
  /** Load profiles by name, by path, or loaded; default: `smoke`. Used by the stage `load` alone. */
  readonly profiles?: readonly (string | LoadedProfile)[];
  /** Schedule that drives the limits. Default: short, and full where the clock is virtual. */
  readonly exam?: "short" | "full";
  /** Generated requests hold each three options together, not each two; default false. */
  readonly thorough?: boolean;
  /** Folder for run folders; default: `reports`. */
  readonly outDir?: string;
  /** Seed of everything random, an integer from 0 to 4294967295; default 1. */
  readonly seed?: number;
  /** Advisories and unexplained limiters count as findings; default false. */
  readonly strict?: boolean;
  /** Name of the run, such as the commit of the target: the history shows it. */
  readonly label?: string;
  /** Beside result.json, report.html and junit.xml: `"ctrf"`, `"ctrf=build/ctrf.json"`, or a reporter of one's own. */
  readonly reporters?: readonly (string | Reporter)[];
  /** Switches of the embedded reference service; refused with any other target. */
  readonly variants?: readonly string[];
  readonly mutants?: readonly string[];
  /** Ends the run early; what was judged until then is reported, with exit code 130. */
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
  /** The environment that `${NAME}` references and ASSAY_API_KEY are looked up in; default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}
