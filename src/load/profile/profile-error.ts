import { listProblems } from "../../core/list-problems.ts";

/** A profile cannot be used; the message lists its problems, one a line, as many as fit a screen. Exit code 2. */
export class ProfileError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[], leftOut = 0) {
    super(listProblems(problems, leftOut));
    this.name = "ProfileError";
    this.problems = problems;
  }
}
