import { describeFileProblem, type FileProblem } from "../core/file-problem.ts";

/** The manifest cannot be used; holds every problem at once. Exit code 2. */
export class ConfigError extends Error {
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    super(problems.map(describeFileProblem).join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}
