import type { Feature } from "../../command/feature.ts";
import { addReachFlags } from "../../command/target-flags.ts";

/** assay as a server of the Model Context Protocol: a program lists, explains, checks, looks at findings and replays them. */
export const mcp: Feature = {
  addCommands(program, use) {
    addReachFlags(program.command("mcp"))
      .description("serve the Model Context Protocol on standard input and output, for programs that mend a target")
      .option("--base-url <url>", "target of all checks; key: ASSAY_API_KEY (default: the manifest)")
      .option("--config <file>", "manifest of the target")
      .option("--out <dir>", "folder of the runs", "reports")
      .action(use(async () => (await import("./commands/mcp.ts")).mcpCommand));
  },
  examples: { mcp: [["assay mcp --config assay.config.yaml", "the command that a client of the protocol starts"]] },
};
