import type { Result } from "../../core/result/result.ts";
import { countOf, formatDuration, formatCount, formatUsd } from "../text/format-number.ts";
import { type StageCounts, stageCounts } from "../text/stage-counts.ts";
import { runVerdictWord, type VerdictWord, verdictWords } from "../text/verdict-word.ts";
import { badge, facts } from "./parts.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";

/** Verdict first, then the sentence that explains it, then what each stage says. */
export function renderVerdictHeader(result: Result): SafeHtml {
  const word = runVerdictWord(result);
  const counts = stageCounts(result);
  return html`<header class="verdict-header" id="verdict">
    <div class="verdict tone-${word.tone}">
      <h1><span aria-hidden="true">${word.glyph}</span> ${word.word}</h1>
      <p class="why">${result.reason}</p>
      <p class="exit">
        Exit code
        ${result.exitCode}${result.strict && ", strict readings"}${result.interrupted && ", interrupted: what was measured until then is judged"}
      </p>
    </div>
    <div class="tiles">${[conformanceTile(result, counts), limitsTile(result, counts), loadTile(result, counts)]}</div>
    ${facts([
      ["Target", html`${result.target.name} <span class="sub">${result.target.plan}</span>`],
      ["Base URL", html`<code>${result.target.baseUrl}</code>`],
      ["Server", result.target.server ?? "does not say"],
      ["Started", result.startedAt.replace("T", " ").replace(/\.\d+Z$/, "Z")],
      ["Duration", formatDuration(result.durationMs)],
      ["Sent", html`${countOf(result.spent.requests, "request")}`],
      ["Tokens", `${formatCount(result.spent.promptTokens)} prompt, ${formatCount(result.spent.completionTokens)} completion`],
      ["Estimated cost", formatUsd(result.spent.estimatedUsd)],
      ["Seed", html`<code>${result.seed}</code>`],
      ["Run", html`<code>${result.runId}</code>`],
    ])}
    ${
      result.notes.length > 0 &&
      html`<ul class="sub">
        ${result.notes.map((note) => html`<li>${note}</li>`)}
      </ul>`
    }
  </header> `;
}

function tile(name: string, href: string | null, word: VerdictWord, text: string): SafeHtml {
  const inside = html`<span class="top">${name} ${badge(word)}</span>
    <p>${text}</p>`;
  return href === null ? html`<div class="tile">${inside}</div>` : html`<a class="tile" href="${href}">${inside}</a>`;
}

const notRun: VerdictWord = { ...verdictWords.untested, word: "not run" };

function conformanceTile({ conformance }: Result, { conformance: counts }: StageCounts): SafeHtml {
  if (conformance === null || counts === null) return tile("Conformance", null, notRun, "This stage was not selected.");
  const word: VerdictWord = conformance.requirements.some(({ verdict }) => verdict === "fail")
    ? { ...verdictWords.fail, word: "non-conformant" }
    : conformance.suites.some(({ verdict }) => verdict === "incomplete")
      ? { ...verdictWords.inconclusive, word: "incomplete" }
      : { ...verdictWords.pass, word: "conformant in scope" };
  return tile("Conformance", "#conformance", word, counts);
}

function limitsTile({ limits }: Result, { limits: counts }: StageCounts): SafeHtml {
  if (limits === null || counts === null) return tile("Limits", null, notRun, "This stage was not selected.");
  return tile("Limits", "#limits", verdictWords[limits.verdict], `policies: ${counts}`);
}

function loadTile({ load }: Result, { load: counts }: StageCounts): SafeHtml {
  if (load === null || counts === null) return tile("Load", null, notRun, "This stage was not selected.");
  const gates = load.profiles.flatMap((profile) => profile.gates);
  const missed = gates.filter((gate) => gate.verdict === "fail").length;
  const invalid = load.profiles.filter((profile) => !profile.validity.valid).length;
  const word: VerdictWord =
    missed > 0
      ? { ...verdictWords.fail, word: "gate missed" }
      : invalid > 0 || gates.some((gate) => gate.verdict !== "pass")
        ? { ...verdictWords.inconclusive, word: "not all judged" }
        : gates.length === 0
          ? { ...verdictWords.observed, word: "measured, no gates" }
          : { ...verdictWords.pass, word: "gates met" };
  const parts = [countOf(load.profiles.length, "profile"), counts];
  if (invalid > 0) parts.push(`${invalid} not valid`);
  return tile("Load", "#load", word, parts.join(", "));
}
