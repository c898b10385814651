import type { Finding } from "../../core/result/finding.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import type { Result } from "../../core/result/result.ts";
import { listFailures } from "../list-failures.ts";
import { countOf, formatDuration, formatMs } from "../text/format-number.ts";
import { latencyRows } from "../text/latency-rows.ts";
import { atLeastSign } from "../text/observed-words.ts";
import { scopeCaveat } from "../text/scope-words.ts";
import { type StageCounts, stageCounts } from "../text/stage-counts.ts";
import { runVerdictWord, type VerdictWord, verdictWords } from "../text/verdict-word.ts";
import { badge, facts, fragment } from "./parts.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";

/** Titles of findings on the first screen. */
const titlesShown = 5;

/** The first screen: verdict, the sentence that explains it, what to act on and how, then what each stage says. */
export function renderVerdictHeader(result: Result): SafeHtml {
  const word = runVerdictWord(result);
  const counts = stageCounts(result);
  const failures = listFailures(result);
  const caveat = result.scope === null ? null : scopeCaveat(result.scope);
  return html`<header class="verdict-header" id="verdict">
    <div class="verdict tone-${word.tone}">
      <h1><span aria-hidden="true">${word.glyph}</span> ${word.word}</h1>
      <p class="why">${result.reason}</p>
      <p class="exit">
        Exit code
        ${result.exitCode}${failures.length > 0 && `, ${countOf(failures.length, "failure")}`}${result.strict && ", strict readings"}${result.interrupted && ", interrupted: what was measured until then is judged"}.
        ${failures.length === 0 && caveat}
      </p>
      ${failures.length > 0 && renderTitles(failures)} ${renderNext(result, failures)}
    </div>
    <div class="tiles">${[conformanceTile(result, counts), limitsTile(result, counts), loadTile(result, counts)]}</div>
    ${facts([
      ["Target", html`${result.target.name} <span class="sub">${result.target.plan}</span>`],
      ["Base URL", html`<code>${result.target.baseUrl}</code>`],
      ["Started", result.startedAt.replace("T", " ").replace(/\.\d+Z$/, "Z")],
      ["Duration", `${formatDuration(result.durationMs)}, ${countOf(result.spent.requests, "request")}`],
    ])}
    ${
      result.notes.length > 0 &&
      html`<ul class="sub">
        ${result.notes.map((note) => html`<li>${note}</li>`)}
      </ul>`
    }
  </header> `;
}

function renderTitles(failures: readonly Finding[]): SafeHtml {
  const more = failures.length - titlesShown;
  return html`<ol class="titles">
      ${failures
        .slice(0, titlesShown)
        .map(
          (finding) =>
            html`<li>
              <a href="#${fragment("", finding.id)}">${finding.message}</a> <span class="sub">${countWords(finding)}</span>
            </li>`,
        )}
    </ol>
    ${more > 0 && html`<p><a href="#findings">and ${countOf(more, "more failure")}</a></p>`}`;
}

/** How far it reaches: requirements that it violates, exchanges that show it. */
function countWords({ requirement, check, also, exchanges, more }: Finding): string {
  const seen = exchanges.length + more;
  const violated = `${requirement ?? check}${also.length > 0 ? ` and ${also.length} more` : ""}`;
  return seen > 0 ? `${violated}, ${countOf(seen, "exchange")}` : violated;
}

/** The next thing to do, by the kind of verdict; a run that passed needs none. */
function renderNext({ runId, verdict, scope, health }: Result, [first]: readonly Finding[]): SafeHtml | false {
  if (first !== undefined)
    return html`<p class="next">
      <strong>Next:</strong> read <a href="#${fragment("", first.id)}">the first finding</a>; after a fix ask again:
      <code>assay replay reports/${runId} ${first.id}</code>
    </p>`;
  if (!health.valid)
    return html`<p class="next"><strong>Next:</strong> <a href="#health">see why the measurement is not valid</a>.</p>`;
  if (verdict === "incomplete" && scope !== null)
    return html`<p class="next"><strong>Next:</strong> <a href="#scope">see what would complete this verdict</a>.</p>`;
  return false;
}

function tile(name: string, href: string, word: VerdictWord, text: string): SafeHtml {
  return html`<a class="tile" href="${href}"
    ><span class="top"><span>${name}</span> ${badge(word)}</span>
    <p>${text}</p></a
  >`;
}

function conformanceTile({ conformance }: Result, { conformance: counts }: StageCounts): SafeHtml | false {
  if (conformance === null || counts === null) return false;
  const word: VerdictWord = conformance.requirements.some(({ verdict }) => verdict === "fail")
    ? { ...verdictWords.fail, word: "non-conformant" }
    : conformance.suites.some(({ verdict }) => verdict === "incomplete")
      ? { ...verdictWords.inconclusive, word: "incomplete" }
      : { ...verdictWords.pass, word: "conformant in scope" };
  return tile("Conformance", "#conformance", word, counts);
}

function limitsTile({ limits }: Result, { limits: counts }: StageCounts): SafeHtml | false {
  if (limits === null || counts === null) return false;
  return tile("Limits", "#limits", verdictWords[limits.verdict], `policies: ${counts}`);
}

function loadTile({ load }: Result, { load: counts }: StageCounts): SafeHtml | false {
  if (load === null || counts === null) return false;
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
  const latency = load.profiles[0] === undefined ? null : latencyWords(load.profiles[0]);
  if (latency !== null) parts.push(latency);
  return tile("Load", "#load", word, parts.join(", "));
}

/** The latency that users of the first profile felt. */
function latencyWords(profile: LoadProfileResult): string | null {
  const rows = latencyRows(profile);
  const row = rows.find(({ name }) => name.startsWith("time to first token")) ?? rows[0];
  const [, p95] = row?.figures ?? [];
  return row === undefined || p95 == null || p95.value === null
    ? null
    : `${row.name} p95 ${p95.isLeast ? atLeastSign : ""}${formatMs(p95.value)}`;
}
