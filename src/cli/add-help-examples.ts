import type { Command } from "commander";
import { helpExamples } from "./help-examples.ts";

/** Adds the examples to the help of the program and of each command. */
export function addHelpExamples(program: Command): void {
  for (const command of [program, ...program.commands]) {
    const examples = helpExamples[command.name()];
    if (examples === undefined) continue;
    const lines = examples.map(([commandLine, what]) => `  ${commandLine}\n      ${what}`);
    command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
  }
}
