import { describeFileProblem, type FileProblem } from "../core/file-problem.ts";
import { listProblems } from "../core/list-problems.ts";

/** The manifest cannot be used; holds every problem at once, and its message as many as fit a screen. Exit code 2. */
export class ConfigError extends Error {
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[], leftOut = 0) {
    super(listProblems(problems.map(describeFileProblem), leftOut));
    this.name = "ConfigError";
    this.problems = problems;
  }

  /** Of a flag, or of a file as a whole. */
  static of(file: string, message: string, expected: string): ConfigError {
    return new ConfigError([{ file, line: null, member: "", message, expected, suggestion: null }]);
  }
}
