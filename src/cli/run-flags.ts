import { type Command, InvalidArgumentError, Option } from "commander";
import type { ExaminedEndpoint } from "../core/manifest.ts";
import { parseReporter } from "../report/reporters/parse-reporter.ts";
import type { ReporterRequest } from "../report/reporters/reporter.ts";
import type { Stage } from "../run/run-options.ts";

/** Flags of `run`, `check`, `limits` and `load`; a command knows only those of its stages. */
export interface RunFlags {
  readonly baseUrl?: string;
  readonly config?: string;
  readonly suite?: readonly string[];
  readonly case?: readonly string[];
  readonly requirement?: readonly string[];
  readonly require?: readonly string[];
  readonly expectScope?: string;
  readonly profile?: readonly string[];
  readonly workers?: number | "auto";
  readonly out: string;
  readonly seed: number;
  readonly maxRequests?: number;
  readonly strict: boolean;
  readonly reporter: readonly ReporterRequest[];
  readonly exam?: "short" | "full";
  /** Only of `limits`. */
  readonly endpoint?: ExaminedEndpoint;
  readonly plan: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: boolean;
  readonly variant: readonly string[];
  readonly mutant: readonly string[];
  readonly challenge?: string;
  readonly key?: string;
}

/** Adds the options that the stages of a command understand, in the order in which help shows them. */
export function addRunFlags(command: Command, stages: readonly Stage[]): Command {
  command
    .option("--base-url <url>", "target to test; the key comes from ASSAY_API_KEY (default: the embedded reference service)")
    .option("--config <file>", "manifest of the target (default: the nearest assay.config.yaml)");
  if (stages.includes("conformance") || stages.includes("limits")) {
    command
      .addOption(list("--suite <list>", "only these suites, comma-separated; * stands for any characters", "all"))
      .addOption(list("--requirement <list>", "only these requirements: ids such as CHAT-021 or AUTH-0*", "all"));
  }
  if (stages.includes("conformance")) {
    command.addOption(list("--case <list>", "only these conformance cases: ids such as chat/minimal or chat/*", "all"));
  }
  if (stages.includes("conformance") || stages.includes("limits")) {
    command.addOption(list("--require <list>", "exit 3 unless these are judged: complete, suites, or requirement ids", "none"));
  }
  command.option("--expect-scope <file>", "exit 3 if this run judges less than the run of this result.json or run folder");
  if (stages.includes("load")) {
    command
      .addOption(list("--profile <list>", "load profiles by name or file, comma-separated", "smoke"))
      .addOption(
        new Option("--workers <n|auto>", "worker threads that send a load profile (default: as the profile says)").argParser(
          parseWorkers,
        ),
      );
  }
  if (stages.includes("limits")) {
    command.addOption(
      new Option("--exam <kind>", "schedule that drives the limits (default: short; full on a virtual clock)").choices([
        "short",
        "full",
      ]),
    );
  }
  return command
    .option("--out <dir>", "folder for run folders", "reports")
    .addOption(new Option("--seed <n>", "seed of everything random").argParser(parseSeed).default(1))
    .addOption(
      new Option("--max-requests <n>", "requests that the run may send at most; a lower budget of the manifest holds").argParser(
        parseMaxRequests,
      ),
    )
    .option("--strict", "advisories and unexplained limiters count as findings", false)
    .addOption(
      new Option("--reporter <name[=path]>", "further report, repeatable; json=- writes the result to standard output")
        .argParser(collectReporter)
        .default([], "none"),
    )
    .option("--challenge <file>", "run that a verifier asked for: the seed follows from it, and the run is committed to")
    .option("--key <file|env:NAME>", "with --challenge: private key that signs the commitment, PEM")
    .option("--plan", "print what would be sent and what it would cost, send nothing", false)
    .option("--json", "with --plan: as JSON, with every send time", false)
    .option("--quiet", "no progress; only the verdict", false)
    .option("--verbose", "every case as it ends, and every finding in full", false)
    .option("--no-color", "no colours (as with the variable NO_COLOR)")
    .addOption(
      new Option("--variant <id>", "lawful variant of the reference service, repeatable").argParser(collect).default([], "none"),
    )
    .addOption(
      new Option("--mutant <id>", "deliberate defect of the reference service, repeatable")
        .argParser(collect)
        .default([], "none"),
    );
}

function list(flags: string, description: string, otherwise: string): Option {
  return new Option(flags, `${description} (default: ${otherwise})`).argParser(parseNames);
}

function parseList(text: string): readonly string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

function nonEmpty(words: readonly string[]): readonly string[] {
  if (words.length === 0) throw new InvalidArgumentError("the list is empty; leave the option out for all");
  return words;
}

function parseNames(text: string): readonly string[] {
  return nonEmpty(parseList(text));
}

export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

export function parseWorkers(text: string): number | "auto" {
  if (text === "auto") return text;
  const workers = Number(text);
  if (!Number.isInteger(workers) || workers < 1 || workers > 16) throw new InvalidArgumentError("expected 1 to 16, or auto");
  return workers;
}

function parseMaxRequests(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError("expected an integer, 1 or more");
  return count;
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (!Number.isInteger(seed) || seed < 0 || seed > 2 ** 32 - 1)
    throw new InvalidArgumentError("expected an integer from 0 to 4294967295");
  return seed;
}

function collectReporter(text: string, before: readonly ReporterRequest[]): readonly ReporterRequest[] {
  const request = parseReporter(text);
  if ("problem" in request) throw new InvalidArgumentError(request.problem);
  return [...before, request];
}
