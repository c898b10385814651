import type { Finding } from "../../core/result/finding.ts";
import { suggestWord } from "../../core/suggest-word.ts";
import { UsageError } from "../../command/usage-error.ts";

/** By its id, or by what it violates where no other finding of the run violates that. `words`: what else could have been meant. */
export function chooseFinding(findings: readonly Finding[], asked: string, words: readonly string[] = []): Finding {
  const wanted = asked.toLowerCase();
  const own = findings.find(({ id }) => id.toLowerCase() === wanted);
  if (own !== undefined) return own;
  const about = findings.filter(({ id, requirement, check, also }) =>
    [id.slice(0, id.lastIndexOf(".")), requirement ?? "", check, ...also].some((word) => word.toLowerCase() === wanted),
  );
  if (about.length === 1 && about[0] !== undefined) return about[0];
  const listed = (about.length > 0 ? about : findings).slice(0, 6).map(({ id }) => id);
  throw new UsageError(
    about.length > 1 ? `${about.length} findings are about ${asked}` : `the run has no finding ${asked}`,
    suggestWord(asked, words) ??
      (listed.length > 0
        ? `give one of ${listed.join(", ")}${findings.length > listed.length ? " ..." : ""}`
        : "the run has no findings at all"),
  );
}
