import { Option } from "commander";
import type { Feature } from "../../command/feature.ts";
import { parseCount, parseWorkers } from "../../command/run-flags.ts";

/** Comparison of two runs, of two targets measured in turns, or with the results of other load tools. */
export const compare: Feature = {
  addCommands(program, use) {
    program
      .command("compare")
      .description("compare two runs, or measure two targets now and compare them")
      .argument(
        "<base>",
        "the earlier run: its folder or result.json; or a JSON result of GuideLLM, AIPerf, vLLM bench or k6; or a base URL",
      )
      .argument("<new>", "the newer run, in the same forms")
      .option("--gate", "exit with 1 if the newer run is worse", false)
      .option("--out <file>", "write the comparison as HTML")
      .addOption(
        new Option(
          "--overlay <path>",
          "lay the points of a further run, or of a result of another tool, over the curves (repeatable)",
        )
          .argParser((path: string, paths: readonly string[]) => [...paths, path])
          .default([], "none"),
      )
      .option("--json", "print the comparison as JSON", false)
      .option("--profile <name>", "for base URLs: load profile to send", "smoke")
      .addOption(
        new Option("--rounds <n>", "for base URLs: how often each side is measured, in turns").argParser(parseCount).default(4),
      )
      .addOption(
        new Option(
          "--workers <n|auto>",
          "for base URLs: worker threads that send to each side (default: as the profile says)",
        ).argParser(parseWorkers),
      )
      .addOption(new Option("--seed <n>", "for base URLs: seed of the first round").argParser(parseCount).default(1))
      .action(use(async () => (await import("./commands/compare.ts")).compareCommand));
  },
  examples: {
    compare: [
      ["assay compare reports/before reports/after --gate", "exit code 1 if the newer run is worse"],
      ["assay compare reports/before reports/after --overlay aiperf.json --out curves.html", "curves of sweeps in one picture"],
      ["assay compare http://127.0.0.1:8080 http://127.0.0.1:8081", "measure two servers now, in turns"],
    ],
  },
};
