import type { Command } from "commander";
import type { Manifest } from "../core/manifest.ts";
import type { RunOptions } from "../run/run-options.ts";
import type { Diagnosis } from "./diagnosis.ts";
import type { DoctorFlags } from "./doctor-flags.ts";
import type { LoadCommand } from "./load-commands.ts";
import type { RunFlags } from "./run-flags.ts";

/**
 * A capability beside the three stages of a run, whole in one folder of `src/features/`. This object is all that the command line
 * knows of it; it imports the rest when it is used.
 */
export interface Feature {
  /** Adds its commands. `use` loads the action of a command when the command is given; `features` are all that there are. */
  readonly addCommands: (program: Command, use: LoadCommand, features: readonly Feature[]) => void;
  /** Command lines that the help of its commands shows, by the name of the command. */
  readonly examples: Readonly<Record<string, readonly HelpExample[]>>;
  /** The options that its flags add to a run. It throws a UsageError where a flag lacks another or cannot be met. */
  readonly prepareRun?: (flags: RunFlags, manifest: Manifest | null) => Promise<Partial<RunOptions>>;
  /** Follows a run that is over, in the folder that holds its own; it throws where it cannot. */
  readonly followRun?: (outDir: string) => Promise<void>;
  /** Its part of `assay doctor`; empty where the flags do not ask for it. */
  readonly diagnose?: (flags: DoctorFlags, manifest: Manifest) => Promise<readonly Diagnosis[]>;
}

/** A command line that the help of a command shows, and one line of text about it. */
export type HelpExample = readonly [commandLine: string, text: string];
