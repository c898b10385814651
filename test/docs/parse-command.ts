import { createProgram } from "../../src/cli/program.ts";

/** Parses without acting: throws where the command line is not one that assay accepts. */
export function parseCommand(args: readonly string[]): void {
  const program = createProgram(args, () => {});
  for (const command of program.commands) command.exitOverride().action(() => {});
  program.parse(args, { from: "user" });
}
