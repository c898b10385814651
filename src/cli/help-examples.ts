import type { Command } from "commander";
import type { HelpExample } from "../command/help-example.ts";
import { features } from "./features.ts";

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
export function addHelpExamples(program: Command): void {
  for (const command of [program, ...program.commands]) {
    const examples = helpExamples[command.name()];
    if (examples === undefined) continue;
    const lines = examples.map(([commandLine, what]) => `  ${commandLine}\n      ${what}`);
    command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
  }
}
