import { type Command, InvalidArgumentError, Option } from "commander";
import { parseGate } from "../load/gates/parse-gate.ts";

/** Flags that describe a load in place of a profile. */
export interface LoadFlags {
  readonly rate?: number;
  readonly concurrency?: number;
  readonly search?: "rate" | "concurrency";
  readonly from?: number;
  readonly to?: number;
  readonly searchRequests?: number;
  /** Seconds. */
  readonly duration?: number;
  /** Seconds. */
  readonly warmUp?: number;
  readonly promptTokens?: number;
  readonly outputTokens?: number;
  readonly gate?: readonly string[];
  /** Before the load: does the target answer from a cache of responses? */
  readonly cacheAudit?: boolean;
  /** How often each profile is sent. */
  readonly repeat?: number;
  /** Repeats end where half of each interval is at most this part of its mean. */
  readonly repeatUntil?: number;
  /** Name of the key of a probe; true: the one that is meant where none is named. */
  readonly probe?: string | true;
  readonly printProfile?: boolean;
}

const parseLevel = numberWithin(0, 100_000, "expected a level above 0 and at most 100000");

export function addLoadFlags(command: Command): Command {
  return command
    .addOption(
      new Option("--rate <n>", "in place of --profile: requests a second, at random instants").argParser(
        numberWithin(0, 100_000, "expected requests a second, above 0 and at most 100000"),
      ),
    )
    .addOption(
      new Option("--concurrency <n>", "in place of --profile: requests in flight, each sent when one is answered").argParser(
        wholeWithin(20_000, "expected 1 to 20000 requests in flight"),
      ),
    )
    .addOption(
      new Option(
        "--search <what>",
        "in place of --profile: find the highest rate or concurrency at which every --gate holds",
      ).choices(["rate", "concurrency"]),
    )
    .addOption(new Option("--from <n>", "with --search: the first level that is tried (default: 1)").argParser(parseLevel))
    .addOption(new Option("--to <n>", "with --search: the highest level that may be tried (default: 128)").argParser(parseLevel))
    .addOption(
      new Option("--search-requests <n>", "with --search: requests of all trials together (default: 10000)").argParser(
        wholeWithin(10_000_000, "expected a number of requests, 100 or more"),
      ),
    )
    .addOption(
      new Option(
        "--duration <time>",
        "with --rate or --concurrency: length, such as 60s or 5m (default: 30s); with --search: of all trials at most (default: 1h)",
      ).argParser(parseSeconds),
    )
    .addOption(
      new Option("--warm-up <time>", "with --rate or --concurrency: load before, which is not counted (default: none)").argParser(
        parseSeconds,
      ),
    )
    .addOption(
      new Option("--prompt-tokens <n>", "with a load by flags: length of a prompt (default: 256)").argParser(
        wholeWithin(10_000_000, "expected a number of tokens, 1 or more"),
      ),
    )
    .addOption(
      new Option("--output-tokens <n>", "with a load by flags: most tokens of an answer (default: 64)").argParser(
        wholeWithin(10_000_000, "expected a number of tokens, 1 or more"),
      ),
    )
    .addOption(
      new Option(
        "--gate <expression>",
        "with a load by flags: a bound to judge, such as 'ttft.p95 < 800ms', repeatable",
      ).argParser(collectGate),
    )
    .option(
      "--cache-audit",
      "with a load by flags: ask before it, by nine short requests, whether the target answers from a cache of responses",
    )
    .addOption(
      new Option("--repeat <n>", "send each load n times, and judge its gates over all runs (2 to 50)").argParser(
        wholeBetween(2, 50, "expected 2 to 50 runs"),
      ),
    )
    .addOption(
      new Option(
        "--repeat-until <share>",
        "repeat until the 95 % interval over the runs is within a share of the mean, such as 5% (5 points of a fraction), and decides its gate: 5 runs at least, --repeat at most (default: 10)",
      ).argParser(parseShare),
    )
    .addOption(
      new Option(
        "--probe [key]",
        "while the load runs another key (probe, else secondary) asks every 2 s: its answers and limits are judged, too",
      ),
    )
    .option("--print-profile", "print the profile as a file of YAML; send nothing", false);
}

function numberWithin(above: number, most: number, problem: string): (text: string) => number {
  return (text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (!(value > above && value <= most)) throw new InvalidArgumentError(problem);
    return value;
  };
}

function wholeWithin(most: number, problem: string): (text: string) => number {
  return wholeBetween(1, most, problem);
}

function wholeBetween(least: number, most: number, problem: string): (text: string) => number {
  const parse = numberWithin(least - 1, most, problem);
  return (text) => {
    const value = parse(text);
    if (!Number.isInteger(value)) throw new InvalidArgumentError(problem);
    return value;
  };
}

/** `5%` is 0.05. */
function parseShare(text: string): number {
  const { percent = "" } = /^(?<percent>\d+(?:\.\d+)?)\s*%$/.exec(text.trim())?.groups ?? {};
  const value = Number((Number(percent) / 100).toPrecision(12));
  if (percent === "" || value <= 0 || value > 0.5)
    throw new InvalidArgumentError("expected a share of the mean with its sign, above 0% and at most 50%");
  return value;
}

const secondsOf: Readonly<Record<string, number>> = { ms: 0.001, s: 1, "": 1, m: 60, min: 60, h: 3600 };

/** `60s`, `1.5m`, `500ms`; a plain number is seconds. */
function parseSeconds(text: string): number {
  const { amount = "", unit = "" } = /^(?<amount>\d+(?:\.\d+)?)\s*(?<unit>ms|s|m|min|h|)$/.exec(text.trim())?.groups ?? {};
  // Without the noise of binary fractions: 100ms is 0.1.
  const seconds = Number((Number(amount) * (secondsOf[unit] ?? 1)).toPrecision(12));
  if (amount === "" || seconds <= 0 || seconds > 604_800)
    throw new InvalidArgumentError("expected a length such as 60s, 5m or 1h");
  return seconds;
}

function collectGate(expression: string, before: readonly string[] = []): readonly string[] {
  try {
    parseGate(expression);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
  return [...before, expression];
}
