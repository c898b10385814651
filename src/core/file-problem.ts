import { shortName } from "./short-value.ts";

/** One thing wrong with a file that a person wrote, in words that lead to the repair. */
export interface FileProblem {
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

export function describeFileProblem({ file, line, member, message, expected, suggestion }: FileProblem): string {
  const place = line === null ? file : `${file}:${line}`;
  const subject = member === "" ? "" : `${shortName(member)}: `;
  const advice = [expected === null ? null : `expected ${expected}`, suggestion].filter((text) => text !== null);
  return `${place}: ${subject}${message}${advice.length > 0 ? ` (${advice.join("; ")})` : ""}`;
}
