import { examinedEndpoints } from "../core/manifest.ts";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { addRunFlags, collect, parseWorkers, type RunFlags } from "./run-flags.ts";
import { readToolVersion } from "../run/tool-version.ts";
import type { Stage } from "../run/run-options.ts";
import { addCertificateCommands } from "./certificate-commands.ts";
import type { CompareFlags } from "./commands/compare.ts";
import type { DoctorFlags } from "./commands/doctor.ts";
import type { InitFlags } from "./commands/init.ts";
import type { OpenApiFlags } from "./commands/openapi.ts";
import type { ServeFlags } from "./commands/serve.ts";

/** `args`: the command line, for the record. Commands are loaded when they are used, so that `assay --help` answers at once. */
export function createProgram(args: readonly string[], exitWith: (code: number) => void): Command {
  const program = new Command("assay")
    .description("Load-testing and conformance harness for inference APIs")
    .version(readToolVersion())
    .exitOverride()
    .showHelpAfterError("(assay --help lists the commands)")
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false });

  const stages: readonly (readonly [name: string, text: string, stages: readonly Stage[]])[] = [
    ["run", "all three: conformance, limits, load", ["conformance", "limits", "load"]],
    ["check", "conformance suites", ["conformance"]],
    ["limits", "limit correctness", ["limits"]],
    ["load", "load profiles", ["load"]],
  ];
  for (const [name, text, wanted] of stages) {
    const command = addRunFlags(program.command(name).description(text), wanted);
    if (name === "limits") {
      command
        .option("--replay <run-dir>", "judge the limits of a saved run again, send nothing (JSON with --reporter json=-)")
        .addOption(
          new Option("--endpoint <name>", "examine the request limit of this endpoint in depth").choices([...examinedEndpoints]),
        );
    }
    command.action(async (flags: RunFlags & { readonly replay?: string }) => {
      const { runCommand } = await import("./commands/run.ts");
      exitWith(await runCommand(wanted, flags, ["assay", ...args]));
    });
  }

  program
    .command("serve")
    .description("the reference service: implements the whole specification")
    .addOption(new Option("--port <n>", "port of the API").argParser(parsePort).default(0, "any free port"))
    .addOption(new Option("--control-port <n>", "port of the control plane").argParser(parsePort).default(0, "any free port"))
    .addOption(new Option("--variant <id>", "lawful variant, repeatable").argParser(collect).default([], "none"))
    .addOption(new Option("--mutant <id>", "deliberate defect, repeatable").argParser(collect).default([], "none"))
    .option("--clock <mode>", "real, scaled=N or manual", "real")
    .option("--latency <preset>", "latency model", "instant")
    .addOption(new Option("--seed <n>", "seed of content and jitter").argParser(parseCount).default(1))
    .addOption(new Option("--announce <form>", "how it announces itself").choices(["text", "json"]).default("text").hideHelp())
    .action(async (flags: ServeFlags) => {
      const { serveCommand } = await import("./commands/serve.ts");
      exitWith(await serveCommand(flags));
    });

  program
    .command("report")
    .description("judge a saved run again and write its reports anew, offline")
    .argument("<run-dir>", "folder of the run")
    .option("--strict", "advisories and unexplained limiters count as findings", false)
    .action(async (folder: string, flags: { readonly strict: boolean }) => {
      const { reportCommand } = await import("./commands/report.ts");
      exitWith(await reportCommand(folder, flags));
    });

  program
    .command("compare")
    .description("compare the load and the verdicts of two runs")
    .argument(
      "<base>",
      "folder or result.json of the run to compare with, a result of GuideLLM, AIPerf, vLLM bench or k6 in JSON, or a base URL to measure now",
    )
    .argument("<new>", "the newer one, likewise")
    .option("--gate", "exit 1 when the newer one is worse", false)
    .option("--out <file>", "write the comparison as HTML")
    .option("--json", "print the comparison as JSON", false)
    .option("--profile <name>", "for base URLs: load profile", "smoke")
    .addOption(new Option("--rounds <n>", "for base URLs: rounds on each side, in turns").argParser(parseCount).default(4))
    .addOption(
      new Option(
        "--workers <n|auto>",
        "for base URLs: event loops that send to each side (default: as the profile says)",
      ).argParser(parseWorkers),
    )
    .addOption(new Option("--seed <n>", "for base URLs: seed of the first round").argParser(parseCount).default(1))
    .action(async (base: string, next: string, flags: CompareFlags) => {
      const { compareCommand } = await import("./commands/compare.ts");
      exitWith(await compareCommand(base, next, flags));
    });

  program
    .command("list")
    .description("what there is to run and to break")
    .addArgument(
      new Argument("[what]", "what to list")
        .choices(["suites", "cases", "checks", "requirements", "profiles", "variants", "mutants"])
        .default("requirements"),
    )
    .option("--json", "as JSON", false)
    .action(async (what: string, flags: { readonly json: boolean }) => {
      const { listCommand } = await import("./commands/list.ts");
      exitWith(await listCommand(what, flags));
    });

  program
    .command("explain")
    .description("what a requirement means, how it is checked, which defects it catches")
    .argument("<id>", "requirement, check, reading, case, mutant or variant")
    .action(async (id: string) => {
      const { explainCommand } = await import("./commands/explain.ts");
      exitWith(await explainCommand(id));
    });

  program
    .command("replay")
    .description("send the requests of one finding again: fixed, still fails, or cannot tell")
    .argument("<run-dir>", "folder of the run")
    .argument("<finding>", "finding id, such as F003")
    .option("--base-url <url>", "target; the key comes from ASSAY_API_KEY")
    .option("--config <file>", "manifest of the target")
    .option("--other-target", "send them although the run was recorded at another base URL", false)
    .action(
      async (
        folder: string,
        finding: string,
        flags: { readonly baseUrl?: string; readonly config?: string; readonly otherTarget: boolean },
      ) => {
        const { replayCommand } = await import("./commands/replay.ts");
        exitWith(await replayCommand(folder, finding, flags));
      },
    );

  program
    .command("openapi")
    .description("print the specification as an OpenAPI 3.1 document")
    .option("--out <file>", "write it to a file")
    .option("--server <url>", "base address to put into it (default: a variable)")
    .action(async (flags: OpenApiFlags) => {
      const { openApiCommand } = await import("./commands/openapi.ts");
      exitWith(openApiCommand(flags));
    });

  addCertificateCommands(program, exitWith);

  program
    .command("init")
    .description("write a commented assay.config.yaml")
    .option("--base-url <url>", "look at this target first: models, limits, endpoints; the key comes from ASSAY_API_KEY")
    .option("--force", "overwrite an existing file", false)
    .action(async (flags: InitFlags) => {
      const { initCommand } = await import("./commands/init.ts");
      exitWith(await initCommand(flags));
    });

  program
    .command("doctor")
    .description("look at a target and this machine with at most ten requests")
    .option("--base-url <url>", "target; the key comes from ASSAY_API_KEY")
    .option("--config <file>", "manifest of the target")
    .option("--json", "as JSON", false)
    .action(async (flags: DoctorFlags) => {
      const { doctorCommand } = await import("./commands/doctor.ts");
      exitWith(await doctorCommand(flags));
    });

  return program;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError("expected a port from 0 to 65535");
  return port;
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0) throw new InvalidArgumentError("expected an integer, 0 or more");
  return count;
}
