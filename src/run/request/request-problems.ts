import { ConfigError } from "../../config/config-error.ts";
import { suggestWord } from "../../core/suggest-word.ts";
import type { FileProblem } from "../../core/file-problem.ts";

/** The faults of a program's request, all of them before anything is thrown. */
export class RequestProblems {
  readonly #problems: FileProblem[] = [];

  report(member: string, message: string, expected: string | null = null, suggestion: string | null = null): void {
    this.#problems.push({ file: "options", line: null, member, message, expected, suggestion });
  }

  reportUnknown(member: string, words: readonly string[] | undefined, known: readonly string[]): void {
    for (const word of words ?? []) {
      if (known.includes(word)) continue;
      const suggestion = suggestWord(word, known);
      const expected = suggestion === null && known.length < 20 ? `one of ${known.join(", ")}` : null;
      this.report(member, `${JSON.stringify(word)} is not known`, expected, suggestion);
    }
  }

  /** Throws a ConfigError that lists every problem; none: goes on. */
  throwAny(): void {
    if (this.#problems.length > 0) throw new ConfigError(this.#problems);
  }
}
