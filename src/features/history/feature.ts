import type { Feature } from "../../command/feature.ts";

/** Many kept runs on one page. */
export const history: Feature = {
  addCommands(program, use) {
    program
      .command("history")
      .description("write one page over many kept runs: verdicts, findings that came and went, scope, latencies")
      .argument("[dir]", "folder that holds the run folders, at any depth up to three", "reports")
      .option("--target <name>", "only runs of this target (default: the target of the newest run)")
      .option("--out <file>", "file to write to (default: index.html in the folder)")
      .option("--open", "open the page in a browser", false)
      .option("--json", "print JSON, and write no page", false)
      .action(use(async () => (await import("./commands/history.ts")).historyCommand));
  },
  followRun: async (outDir) => (await import("./commands/refresh-index.ts")).refreshIndex(outDir),
  examples: {
    history: [
      ["assay history", "write reports/index.html over the runs in reports"],
      ["assay history nightly --open", "a run is labelled by its --label, else by the folders between nightly and the run"],
    ],
  },
};
