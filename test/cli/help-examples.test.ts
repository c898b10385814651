import { describe, expect, it } from "vitest";
import { createProgram, helpExamples } from "../../src/cli/program.ts";

/** Words of a command line; single quotes group. */
function wordsOf(commandLine: string): readonly string[] {
  return [...commandLine.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
}

/** The program with actions that only report that the command line was accepted. */
function parse(args: readonly string[]): string | null {
  let reached: string | null = null;
  const program = createProgram(args, () => {});
  for (const command of program.commands) {
    command.exitOverride().action(() => {
      reached = command.name();
    });
  }
  program.parse(args, { from: "user" });
  return reached;
}

describe("examples in the help", () => {
  const program = createProgram([], () => {});

  it.each(Object.entries(helpExamples).flatMap(([name, examples]) => examples.map(([line]) => [name, line] as const)))(
    "of %s: %s is a command line that assay accepts",
    (name, line) => {
      const [first, ...args] = wordsOf(line);
      expect(first).toBe("assay");
      expect(parse(args)).toBe(name === "assay" ? args[0] : name);
    },
  );

  it("exist for every command", () => {
    const names = program.commands.map((command) => command.name());
    expect(names.filter((name) => (helpExamples[name] ?? []).length === 0)).toEqual([]);
    expect(Object.keys(helpExamples).filter((name) => name !== "assay" && !names.includes(name))).toEqual([]);
  });

  it("refuses an option that a command does not have", () => {
    expect(() => parse(["check", "--profile", "smoke"])).toThrow(/unknown option/);
  });
});
