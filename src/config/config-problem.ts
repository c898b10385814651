/** One thing wrong with a manifest, reported in words that lead to the repair. */
export interface ConfigProblem {
  readonly file: string;
  /** From 1; null when the place is not known (a missing file, a flag). */
  readonly line: number | null;
  /** `target.baseUrl`; empty for the document. */
  readonly member: string;
  readonly message: string;
  /** The form that would be right. */
  readonly expected: string | null;
  /** `did you mean baseUrl?` */
  readonly suggestion: string | null;
}

/** The manifest cannot be used; holds every problem at once. Exit code 2. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(describeProblem).join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

export function describeProblem({ file, line, member, message, expected, suggestion }: ConfigProblem): string {
  const place = line === null ? file : `${file}:${line}`;
  const subject = member === "" ? "" : `${member}: `;
  const advice = [expected === null ? null : `expected ${expected}`, suggestion].filter((text) => text !== null);
  return `${place}: ${subject}${message}${advice.length > 0 ? ` (${advice.join("; ")})` : ""}`;
}
