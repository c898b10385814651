import type { ReachFlags } from "../../../command/target-flags.ts";
import { describeRuns, folderOfRun, showFinding } from "./kept-runs.ts";
import { runCommand } from "./run-command.ts";
import type { Tool, ToolArgument } from "./tool.ts";

interface Settings extends ReachFlags {
  readonly baseUrl?: string;
  readonly config?: string;
  readonly out: string;
}

const id: ToolArgument = {
  description: "an id, such as CHAT-021, chat/minimal or CHAT-020.jnrjh",
  pattern: "^[A-Za-z][\\w./%-]{0,120}$",
  required: true,
};
const run: ToolArgument = {
  description: "name of a kept run, as history shows it, or latest (the default)",
  pattern: "^(?!.*\\.\\.)[\\w.:-]{1,100}(/[\\w.:-]{1,100}){0,2}$",
};
const names = (description: string): ToolArgument => ({ description, pattern: "^[A-Za-z*][\\w*,/.-]{0,400}$" });

/** The tools that clients may call. No argument is an address, a path or a flag. */
export function createTools(settings: Settings): readonly Tool[] {
  const { out } = settings;
  const target = targetFlags(settings);
  return [
    {
      name: "list",
      description:
        "Lists what assay knows: suites, cases, checks, requirements, readings, profiles, figures, variants or mutants.",
      arguments: {
        what: {
          description: "suites, cases, checks, requirements, readings, profiles, figures, variants or mutants",
          pattern: "^[a-z]{4,20}$",
          required: true,
        },
        contains: { description: "only lines that contain this text", pattern: "^[\\w ./-]{1,80}$" },
      },
      call: async ({ what = "", contains = "" }, signal) => {
        const lines = (await runCommand(["list", what], signal)).split("\n");
        return lines.filter((line) => line.toLowerCase().includes(contains.toLowerCase())).join("\n");
      },
    },
    {
      name: "explain",
      description: "Explains an id: what a requirement or check means, how it is judged, which defects it finds.",
      arguments: { id },
      call: ({ id: asked = "" }, signal) => runCommand(["explain", asked], signal),
    },
    {
      name: "check",
      description:
        "Sends the conformance suites, or a selection of them, to the target of this server, and reports the findings.",
      arguments: {
        suite: names("only these suites, such as chat,stream"),
        requirement: names("only these requirements: ids or patterns, such as CHAT-021 or AUTH-0*"),
        case: names("only these cases: ids or patterns, such as chat/minimal"),
      },
      call: (given, signal) => {
        const selection = Object.entries(given).map(([name, value]) => `--${name}=${value}`);
        return runCommand(["check", ...target, `--out=${out}`, "--quiet", "--reporter=agent=-", ...selection], signal);
      },
    },
    {
      name: "finding",
      description: "Shows one finding of a kept run whole, with the rule that it violates.",
      arguments: { id, run },
      call: async ({ id: asked = "", run: of = "latest" }) => showFinding(out, of, asked),
    },
    {
      name: "replay",
      description: "Sends the requests of one finding again, to the target of this server: fixed, still fails, or inconclusive.",
      arguments: { id, run },
      call: ({ id: asked = "", run: of = "latest" }, signal) =>
        runCommand(["replay", folderOfRun(out, of), asked, ...target, "--json"], signal),
    },
    {
      name: "history",
      description: "Lists the kept runs, newest first: verdict, exit code and the ids of the findings of each.",
      arguments: {},
      call: async () => describeRuns(out),
    },
  ];
}

function targetFlags({ baseUrl, config, header = [], insecure, proxy }: Settings): readonly string[] {
  return [
    ...(baseUrl === undefined ? [] : [`--base-url=${baseUrl}`]),
    ...(config === undefined ? [] : [`--config=${config}`]),
    ...header.map((field) => `--header=${field}`),
    ...(insecure === true ? ["--insecure"] : []),
    ...(typeof proxy === "string" ? [`--proxy=${proxy}`] : []),
    ...(proxy === false ? ["--no-proxy"] : []),
  ];
}
