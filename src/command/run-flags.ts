import { type Command, InvalidArgumentError, Option } from "commander";
import type { ExaminedEndpoint } from "../core/manifest.ts";
import { parseReporter } from "../report/reporters/parse-reporter.ts";
import type { ReporterRequest } from "../report/reporters/reporter.ts";
import type { LoadFlags } from "./load-flags.ts";
import { collect } from "./collect.ts";
import { UsageError } from "./usage-error.ts";
import { addReachFlags, type ReachFlags } from "./target-flags.ts";
import type { Stage } from "../run/run-options.ts";

/** Flags of `run`, `check`, `limits` and `load`; a command knows only those of its stages. */
export interface RunFlags extends LoadFlags, ReachFlags {
  readonly baseUrl?: string;
  readonly config?: string;
  /** Test the embedded reference service. */
  readonly demo?: boolean;
  readonly suite?: readonly string[];
  readonly case?: readonly string[];
  readonly requirement?: readonly string[];
  /** Absent where the command has no limits stage. */
  readonly check?: readonly string[];
  readonly require?: readonly string[];
  readonly expectScope?: string;
  readonly profile?: readonly string[];
  /** Requests a second that the target may be sent. */
  readonly allowLoad?: number;
  readonly workers?: number | "auto";
  readonly agents?: number;
  readonly redis?: string;
  readonly redisPrefix?: string;
  readonly sealFor?: readonly string[];
  readonly out: string;
  readonly label?: string;
  readonly seed: number;
  readonly maxRequests?: number;
  readonly strict: boolean;
  /** Absent where the command has no conformance stage. */
  readonly thorough?: boolean;
  readonly reporter: readonly ReporterRequest[];
  readonly exam?: "short" | "full";
  /** Only of `limits`. */
  readonly endpoint?: ExaminedEndpoint;
  /** Only of `limits`. */
  readonly replay?: string;
  readonly plan: boolean;
  /** Absent where the command has no limits stage. */
  readonly ask?: boolean;
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
    .option("--base-url <url>", "target to test; key: ASSAY_API_KEY (default: the manifest)")
    .option("--config <file>", "manifest of the target (default: the nearest assay.config.yaml)")
    .option("--demo", "test the embedded reference service");
  addReachFlags(command);
  if (stages.includes("conformance") || stages.includes("limits")) {
    command
      .addOption(list("--suite <list>", "only these suites: names or patterns with *, separated by commas", "all"))
      .addOption(list("--requirement <list>", "only these requirements: ids or patterns, such as CHAT-021 or AUTH-0*", "all"));
  }
  if (stages.includes("conformance")) {
    command.addOption(
      list("--case <list>", "only these conformance cases: ids or patterns, such as chat/minimal or chat/*", "all"),
    );
  }
  if (stages.includes("limits")) {
    command.addOption(
      list("--check <list>", "only the requirements that these limit checks decide: ids or patterns, such as burst.*", "all"),
    );
  }
  if (stages.includes("conformance") || stages.includes("limits")) {
    command.addOption(
      list("--require <list>", "exit with 3 if one of these is not judged: suites, requirement ids, or complete", "none"),
    );
  }
  command.option("--expect-scope <file>", "result.json or folder of an earlier run: exit with 3 if this run judges less");
  if (stages.includes("load")) {
    command
      .addOption(list("--profile <list>", "load profiles: names or files, separated by commas", "smoke"))
      .addOption(
        new Option(
          "--allow-load <rps>",
          "most requests a second that a target on another machine is sent (default: the manifest's, else 5)",
        ).argParser(parseRps),
      )
      .addOption(
        new Option("--workers <n|auto>", "worker threads that send a load profile (default: as the profile says)").argParser(
          parseWorkers,
        ),
      )
      .addOption(
        new Option("--agents <n>", "machines that send the load profiles; each runs: assay agent").argParser(
          integerWithin(1, 1000, "expected 1 to 1000"),
        ),
      )
      .option("--redis <url>", "with --agents: Redis or Valkey where they wait; the password comes from ASSAY_REDIS_PASSWORD")
      .option("--redis-prefix <text>", "with --redis: first part of all keys (default: assay)")
      .addOption(
        new Option(
          "--seal-for <list>",
          "with --agents: send the key of the target, sealed, to agents with these keys, as each shows when it starts",
        ).argParser(parseFingerprints),
      );
  }
  if (stages.includes("conformance")) {
    command.option("--thorough", "generated requests hold each three options together, not each two: some 300 more", false);
  }
  if (stages.includes("limits")) {
    const kinds = "length of the limits exam (default: short; full on a virtual clock)";
    command
      .addOption(new Option("--exam <kind>", kinds).choices(["short", "full"]))
      .option("--ask", "with --plan: send two requests for the list of models, and plan by the limiter that they show", false);
  }
  return command
    .option("--out <dir>", "folder that gets a new folder for each run", "reports")
    .addOption(
      new Option("--label <text>", "name of this run, such as the commit of the target; the history shows it").argParser(
        parseLabel,
      ),
    )
    .addOption(new Option("--seed <n>", "seed of everything that is random").argParser(parseSeed).default(1))
    .addOption(
      new Option("--max-requests <n>", "most requests that the run may send; the manifest may set a lower bound").argParser(
        integerWithin(1, Infinity, "expected an integer, 1 or more"),
      ),
    )
    .option("--strict", "count advisories and unexplained limiters as failures", false)
    .addOption(reporterOption())
    .option("--challenge <file>", "challenge of a verifier: sets the seed and writes a commitment to this run")
    .option("--key <file|env:NAME>", "with --challenge: private key (PEM) that signs the commitment")
    .option("--plan", "print what would be sent and what it would cost; send nothing", false)
    .option("--json", "print the result as JSON; with --plan the plan, with every send time", false)
    .option("-q, --quiet", "print the verdict only", false)
    .option("-v, --verbose", "print each case as it ends, and every finding in full", false)
    .option("--no-color", "print without colours, as with the variable NO_COLOR")
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

/** An option that is given twice adds to itself: the first list must not vanish in silence. */
function parseNames(text: string, before: readonly string[] = []): readonly string[] {
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  if (words.length === 0) throw new InvalidArgumentError("the list is empty; leave the option out for all");
  return [...new Set([...before, ...words])];
}

function parseLabel(text: string): string {
  if (!/^[^\p{C}]{1,100}$/u.test(text) || text.trim() === "")
    throw new InvalidArgumentError("expected 1 to 100 visible characters");
  return text;
}

const parseSeed = integerWithin(0, 2 ** 32 - 1, "expected an integer from 0 to 4294967295");

/** Reads the integer of an option; `problem` says what was expected. */
export function integerWithin(least: number, most: number, problem: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most) throw new InvalidArgumentError(problem);
    return value;
  };
}

function parseRps(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1_000_000)) throw new InvalidArgumentError("expected requests a second, above 0");
  return value;
}

export const parseCount: (text: string) => number = integerWithin(0, Infinity, "expected an integer, 0 or more");

export function parseWorkers(text: string): number | "auto" {
  if (text === "auto") return text;
  const workers = Number(text);
  if (!Number.isInteger(workers) || workers < 1 || workers > 16) throw new InvalidArgumentError("expected 1 to 16, or auto");
  return workers;
}

function parseFingerprints(text: string): readonly string[] {
  const all = text.split(",").map((one) => one.trim());
  if (!all.every((one) => /^[0-9a-f]{32}$/.test(one))) throw new InvalidArgumentError("expected 32 hexadecimal digits each");
  return all;
}

export function reporterOption(): Option {
  return new Option("--reporter <name[=path]>", "one more report, repeatable; json=- prints the result as JSON")
    .argParser(collectReporter)
    .default([], "none");
}

function collectReporter(text: string, before: readonly ReporterRequest[]): readonly ReporterRequest[] {
  const request = parseReporter(text);
  if ("problem" in request) throw new InvalidArgumentError(request.problem);
  const other = before.find(printsToStdout);
  if (other !== undefined && printsToStdout(request)) {
    const moved = [request, other].find(({ path }) => path !== null)?.name ?? request.name;
    throw new InvalidArgumentError(
      `${other.name} and ${request.name} would mix on standard output; write ${moved}=FILE to send one of them to a file`,
    );
  }
  return [...before, request];
}

/** The reporters of a command with those that `--json` adds: the result, and nothing else, on standard output. */
export function reportersOf({
  json,
  reporter,
}: {
  readonly json: boolean;
  readonly reporter: readonly ReporterRequest[];
}): readonly ReporterRequest[] {
  const other = reporter.find(printsToStdout);
  if (!json || other?.name === "json") return reporter;
  if (other !== undefined)
    throw new UsageError(`--json and the reporter ${other.name} would mix on standard output`, `write ${other.name}=FILE`);
  return [...reporter, { name: "json", path: "-" }];
}

/** A reader of JSON, or of annotations, finds nothing else on standard output. */
function printsToStdout({ name, path }: ReporterRequest): boolean {
  return path === "-" || (path === null && (name === "github" || name === "terminal"));
}
