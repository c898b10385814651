import { examinedEndpoints } from "../core/manifest.ts";
import { Argument, Command, Help, InvalidArgumentError, Option } from "commander";
import { suggestWord } from "../core/suggest-word.ts";
import { addLoadFlags } from "../command/load-flags.ts";
import { collect } from "../command/collect.ts";
import { addReachFlags } from "../command/target-flags.ts";
import { addRunFlags, integerWithin, parseCount, reporterOption, type RunFlags } from "../command/run-flags.ts";
import { readToolVersion } from "../run/tool-version.ts";
import type { Stage } from "../run/run-options.ts";
import type { Feature, HelpExample } from "../command/feature.ts";
import { type LoadCommand, loadCommands } from "../command/load-commands.ts";
import { features } from "./features.ts";
import { output } from "../report/terminal/output.ts";
import { latencyPresets } from "../reference/engine/latency/latency-preset.ts";

/** Command lines that `assay COMMAND --help` shows, each with what it does. A test parses every one. */
export const helpExamples: Readonly<Record<string, readonly HelpExample[]>> = {
  assay: [
    ["assay run", "test the embedded reference service: a first look, nothing to set up"],
    ["assay init --base-url https://staging.example/api", "look at a server and write assay.config.yaml for it"],
    ["assay check", "run the conformance suites against the server of assay.config.yaml"],
  ],
  run: [
    ["assay run --plan", "show requests, time and cost; send nothing"],
    ["assay run --reporter markdown --reporter ctrf", "also write report.md and ctrf-report.json"],
    ["assay run --expect-scope reports/latest", "fail with exit code 3 if fewer requirements are judged than in the last run"],
  ],
  check: [
    ["assay check --base-url https://staging.example/api", "one ordinary key in ASSAY_API_KEY is enough"],
    ["assay check --suite chat,stream", "two suites"],
    ["assay check --requirement 'AUTH-0*'", "only some requirements"],
  ],
  limits: [
    ["assay limits --plan", "show which limits are examined, for how many requests and minutes"],
    ["assay limits --exam full", "longer: distinguishes more limiter algorithms"],
  ],
  load: [
    [
      "assay load --base-url https://api.example --rate 5 --duration 60s --gate 'ttft.p95 < 800ms'",
      "a first figure: a key and a URL",
    ],
    ["assay load --concurrency 32 --print-profile", "the same as a file, to keep or to change"],
    ["assay load --profile smoke", "a built-in profile"],
    ["assay load --profile ./nightly.yaml --workers 2", "a profile of your own, sent by two worker threads"],
    ["assay load --agents 4 --redis redis://broker:6379", "sent by four machines, each of which runs: assay agent"],
  ],
  serve: [
    ["assay serve --port 8080", "prints the base URL and the keys; Ctrl-C ends it"],
    ["assay serve --mutant limits/over-admit-one", "with one deliberate defect"],
  ],
  report: [["assay report reports/2026-11-22T10-00-00Z", "judge the record again; the exit code is that of the new verdict"]],
  show: [
    ["assay show", "all findings of the last run, and what it did not judge"],
    ["assay show reports/latest CHAT-020.jnrjh", "one finding, with the request that shows it"],
    ["assay show reports/latest scope", "the requirements that were not judged, and the manifest that would include them"],
  ],
  list: [
    ["assay list profiles", "the built-in load profiles"],
    ["assay list requirements --json", "the whole catalogue"],
  ],
  explain: [
    ["assay explain CHAT-021", "a requirement"],
    ["assay explain limits.over-admission", "a limit check"],
  ],
  replay: [["assay replay reports/2026-11-22T10-00-00Z CHAT-020.jnrjh", "send the requests of this finding again"]],
  ...Object.assign({}, ...Object.values(features).map(({ examples }) => examples)),
};

/** Adds the examples to the help of the program and of each command. */
function addHelpExamples(program: Command): void {
  for (const command of [program, ...program.commands]) {
    const examples = helpExamples[command.name()];
    if (examples === undefined) continue;
    const lines = examples.map(([commandLine, what]) => `  ${commandLine}\n      ${what}`);
    command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
  }
}

/** `args`: the command line, for the record. */
export function createProgram(args: readonly string[], exitWith: (code: number) => void): Command {
  const use = loadCommands(exitWith);
  const program = new Command("assay")
    .description("Tests whether an inference API does what its specification says: conformance, limits, load.")
    .version(readToolVersion())
    .helpCommand("help [command]", "show the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: output.print,
      // Help is long and ours; a mistake may be as long as its word.
      writeErr: (text) => (text.startsWith("error:") ? output.refuse : output.say)(text.trimEnd()),
    })
    .showHelpAfterError("(assay --help lists the commands)")
    .configureHelp({
      sortSubcommands: false,
      showGlobalOptions: false,
      // "(default: false)" says nothing beside a flag that is off unless it is given.
      optionDescription: (option) => (option.isBoolean() ? option.description : new Help().optionDescription(option)),
    })
    .commandsGroup("Test a target:");

  const add = (feature: Feature): void => feature.addCommands(program, use, Object.values(features));
  addTestCommands(program, { use, add, args });
  addResultCommands(program, { use, add });
  program.commandsGroup("Certify:");
  add(features.certify);
  program.commandsGroup("Set up:");
  add(features.doctor);
  add(features.mcp);
  addHelpExamples(program);
  return program;
}

interface Adding {
  readonly use: LoadCommand;
  /** Adds the commands of a feature at this place of the help. */
  readonly add: (feature: Feature) => void;
}

function addTestCommands(program: Command, { use, add, args }: Adding & { readonly args: readonly string[] }): void {
  const parsePort = integerWithin(0, 65_535, "expected a port from 0 to 65535");
  const stages: readonly (readonly [name: string, text: string, stages: readonly Stage[]])[] = [
    ["run", "run all three stages: conformance, limits, load", ["conformance", "limits", "load"]],
    ["check", "run the conformance suites", ["conformance"]],
    ["limits", "examine rate, token, burst and spend limits", ["limits"]],
    ["load", "run load profiles and judge their gates", ["load"]],
  ];
  for (const [name, text, wanted] of stages) {
    const command = addRunFlags(program.command(name).description(text), wanted);
    if (name === "load") addLoadFlags(command);
    if (name === "limits") {
      command
        .option("--replay <run-dir>", "judge the limits of a saved run again and send nothing; --reporter json=- prints JSON")
        .addOption(
          new Option("--endpoint <name>", "endpoint whose request limit is examined in depth").choices([...examinedEndpoints]),
        );
    }
    command.action(
      use(async () => {
        const { runCommand } = await import("./commands/run.ts");
        return (flags: RunFlags) => runCommand(wanted, flags, ["assay", ...args]);
      }),
    );
  }

  add(features.agents);

  program
    .command("serve")
    .description("start the reference service on 127.0.0.1: a complete, correct implementation")
    .addOption(new Option("--port <n>", "port of the API").argParser(parsePort).default(0, "any free port"))
    .addOption(new Option("--control-port <n>", "port of the control plane").argParser(parsePort).default(0, "any free port"))
    .addOption(
      new Option("--variant <id>", "lawful variant (assay list variants), repeatable").argParser(collect).default([], "none"),
    )
    .addOption(
      new Option("--mutant <id>", "deliberate defect (assay list mutants), repeatable").argParser(collect).default([], "none"),
    )
    .option("--clock <mode>", "real, scaled=N (N times as fast) or manual (moved through the control port)", "real")
    .addOption(new Option("--latency <preset>", "how fast answers come").choices(Object.keys(latencyPresets)).default("instant"))
    .addOption(new Option("--seed <n>", "seed of generated content, jitter and keys").argParser(parseCount).default(1))
    .addOption(
      new Option(
        "--announce <form>",
        "text; or json, for programs: one line with URLs and keys, and an end when standard input ends",
      )
        .choices(["text", "json"])
        .default("text"),
    )
    .action(use(async () => (await import("./commands/serve.ts")).serveCommand));
}

const lists = ["suites", "cases", "checks", "requirements", "readings", "profiles", "figures", "variants", "mutants"] as const;
export type ListName = (typeof lists)[number];

function parseList(text: string): ListName {
  const list = lists.find((one) => one === text);
  if (list === undefined) throw new InvalidArgumentError(suggestWord(text, lists) ?? `there are ${lists.join(", ")}`);
  return list;
}

function addResultCommands(program: Command, { use, add }: Adding): void {
  program
    .commandsGroup("Work with results:")
    .command("report")
    .description("judge a saved run again, offline, and rewrite its reports")
    .argument("[run-dir]", "folder of the run (default: the last one, reports/latest)")
    .option("--strict", "count advisories and unexplained limiters as failures", false)
    .option("--open", "open report.html in a browser", false)
    .addOption(reporterOption())
    .option("--json", "print the result as JSON", false)
    .option("-q, --quiet", "print the verdict only", false)
    .option("-v, --verbose", "print every finding in full", false)
    .action(use(async () => (await import("./commands/report.ts")).reportCommand));

  program
    .command("show")
    .description("show all findings of a saved run, one of them, or what was not judged")
    .argument("[run]", "folder of the run or its result.json (default: the last one, reports/latest)")
    .argument("[finding]", "id of a finding, or scope: the requirements that were not judged, and what would complete the run")
    .option("--json", "print JSON", false)
    .action(use(async () => (await import("./commands/show.ts")).showCommand));

  add(features.compare);
  add(features.history);

  program
    .command("list")
    .description("list suites, cases, checks, requirements, readings, profiles, figures, variants or mutants")
    .addArgument(new Argument("[what]", "what to list").argParser(parseList).default("requirements"))
    .option("--json", "print JSON", false)
    .action(use(async () => (await import("./commands/list.ts")).listCommand));

  program
    .command("explain")
    .description("explain an id: what it means, how it is checked, which defects it finds")
    .argument("<id>", "id of a requirement, check, reading, case, finding, profile, figure, mutant or variant")
    .action(use(async () => (await import("./commands/explain.ts")).explainCommand));

  addReachFlags(program.command("replay"))
    .description("send the requests of one finding again: is it fixed?")
    .argument("<run-dir>", "folder of the run")
    .argument("<finding>", "id of the finding, such as CHAT-020.jnrjh, or what it violates")
    .option("--base-url <url>", "target; key: ASSAY_API_KEY")
    .option("--config <file>", "manifest of the target")
    .option("--other-target", "allow a base URL other than the one that the run was recorded at", false)
    .option("--json", "print the outcome as JSON", false)
    .action(use(async () => (await import("./commands/replay.ts")).replayCommand));

  add(features.openApi);
}
