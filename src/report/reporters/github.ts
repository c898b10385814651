import type { Result } from "../../core/result/result.ts";
import { clip } from "../escape/clip.ts";
import { githubData, githubProperty } from "../escape/github.ts";
import { listFailures } from "../list-failures.ts";
import { orderFindings } from "../order-findings.ts";
import { alsoWords, findingTitle } from "../text/finding-words.ts";
import type { RenderedFile } from "./reporter.ts";
import { runVerdictWord } from "../text/verdict-word.ts";
import { renderMarkdown } from "./markdown.ts";

/** GitHub shows ten errors and ten warnings of a step. */
const maxAnnotations = 10;
/** A step summary may hold 1 MiB; more is dropped as a whole. */
const maxSummaryBytes = 900_000;

/** Annotations on standard output, where the runner reads commands, and the step summary. */
export function renderGithub(result: Result): readonly RenderedFile[] {
  return [
    { path: "-", text: renderAnnotations(result) },
    { path: "$GITHUB_STEP_SUMMARY", text: renderStepSummary(result), append: true },
  ];
}

/** One workflow command a line and nothing else; every line begins with `::`. */
export function renderAnnotations(result: Result): string {
  const ordered = orderFindings(result.findings);
  const failures = listFailures(result).slice(0, maxAnnotations);
  const advisories = ordered
    .filter((finding) => finding.verdict === "advisory" && !finding.baselined && !failures.includes(finding))
    .slice(0, maxAnnotations);
  const command = (kind: string, title: string, message: string): string =>
    `::${kind} title=${githubProperty(clip(title, 200))}::${githubData(clip(message, 2_000))}\n`;
  const lines = [...failures, ...advisories].map((finding) =>
    command(
      failures.includes(finding) ? "error" : "warning",
      findingTitle(finding),
      [finding.message, `expected ${finding.expected}`, `observed ${finding.observed}`, alsoWords(finding)]
        .filter((line) => line !== null)
        .join("\n"),
    ),
  );
  if (result.verdict !== "passed" && result.verdict !== "failed")
    lines.unshift(command("error", `assay: ${runVerdictWord(result).word}`, result.reason));
  return lines.join("");
}

function renderStepSummary(result: Result): string {
  for (const maxFindings of [20, 5, 0]) {
    const text = renderMarkdown(result, { maxFindings });
    if (Buffer.byteLength(text) <= maxSummaryBytes) return `${text}\n`;
  }
  return `## ${runVerdictWord(result).word}\n\nThe summary is too large for this page; see report.html.\n`;
}
