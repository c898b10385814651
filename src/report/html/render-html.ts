import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Result } from "../../core/result/result.ts";
import { clipStrings } from "../escape/clip.ts";
import { listFailures } from "../list-failures.ts";
import { orderFindings } from "../order-findings.ts";
import { runVerdictWord } from "../text/verdict-word.ts";
import { renderConformance } from "./conformance-section.ts";
import { renderEvidence } from "./evidence-section.ts";
import { renderFindings } from "./findings-section.ts";
import { renderGates } from "./gates-section.ts";
import { isInDoubt, renderHealth } from "./health-section.ts";
import { renderLimits } from "./limits-section.ts";
import { renderLoad } from "./load-section.ts";
import { renderVerdictHeader } from "./verdict-header.ts";
import { renderMethod } from "./method-section.ts";
import { renderPage } from "./page.ts";
import { html, markupOf, type SafeHtml, trustMarkup } from "../escape/safe-html.ts";
import { hasScopeSection, renderScope } from "./scope-section.ts";
import { renderSide, type SideEntry } from "./side.ts";
import { renderPassive } from "./passive-section.ts";
import { facts, section } from "./parts.ts";

export interface HtmlOptions {
  /** Hard cap of the file in bytes; evidence is cut first. */
  readonly maxBytes?: number;
  /** The bytes that evidence may take of a typical report. */
  readonly evidenceBytes?: number;
  /** The result of verifying a run that came as a bundle. */
  readonly bundle?: BundleView;
}

/** Longest free text of a result that the report shows whole. */
const maxText = 1_500;
const hardCap = 2_000_000;
/** The size that suits a file for forwarding, and the bytes that evidence may always take of it. */
const typicalBytes = 275_000;
const leastEvidence = 28_000;

/**
 * The report as one self-contained file: no request, readable without scripts. Shows nothing that `result` and the
 * cited `evidence` do not hold. The same input gives the same bytes.
 */
export function renderHtml(result: Result, evidence: readonly Exchange[], options: HtmlOptions = {}): string {
  const maxBytes = options.maxBytes ?? hardCap;
  const bounded = clipStrings(result, maxText, new Set(["histogram"]));
  const ordered = orderEvidence(bounded, evidence);
  const rest = Buffer.byteLength(renderOnce(bounded, ordered, 0, options.bundle));
  let evidenceBytes = options.evidenceBytes ?? Math.min(140_000, Math.max(leastEvidence, typicalBytes - rest));
  evidenceBytes = Math.min(evidenceBytes, maxBytes / 2);
  for (;;) {
    const page = renderOnce(bounded, ordered, evidenceBytes, options.bundle);
    const bytes = Buffer.byteLength(page);
    if (bytes <= maxBytes || evidenceBytes === 0) return page;
    evidenceBytes = Math.max(0, Math.floor(evidenceBytes - (bytes - maxBytes) * 1.2));
  }
}

function renderOnce(
  result: Result,
  evidence: readonly Exchange[],
  evidenceBytes: number,
  bundle: BundleView | undefined,
): string {
  const { markup: evidenceMarkup, shown } = renderEvidence(
    evidence,
    evidenceBytes,
    new Set(result.findings.flatMap((finding) => finding.exchanges)),
  );
  const sections: readonly SafeHtml[] = [
    renderVerdictHeader(result),
    renderBundle(bundle),
    isInDoubt(result) && renderHealth(result),
    result.findings.length > 0 && renderFindings(result, shown),
    renderScope(result),
    renderGates(result.load),
    renderConformance(result.conformance, shown),
    renderLimits(result.limits),
    renderLoad(result.load),
    renderPassive(result, shown),
    evidenceMarkup,
    !isInDoubt(result) && renderHealth(result),
    renderMethod(result),
  ].filter((each) => each !== false);
  const present = sections.filter((section) => markupOf(section) !== "");
  const title = `${runVerdictWord(result).word}: ${result.target.name} · assay`;
  const body = html`<a class="skip" href="#verdict">Skip to the verdict</a>
    <div class="layout">
      ${renderSide("assay", result.target.name, listSections(result, evidence.length > 0, bundle !== undefined))}
      <main>
        ${present}
        <footer>assay ${result.tool.version} · ${result.runId} · specification ${result.spec.sha256.slice(0, 12)}</footer>
      </main>
    </div>`;
  return renderPage(title, dropDanglingLinks(body));
}

/** Links to findings, rows and exchanges that did not fit into the page lose their target and read as text. */
function dropDanglingLinks(body: SafeHtml): SafeHtml {
  const markup = markupOf(body);
  const ids = new Set([...markup.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id));
  return trustMarkup(markup.replace(/ href="#([^"]*)"/g, (link, id: string) => (ids.has(id) ? link : "")));
}

/** Evidence of failures first, then of advisories, then the rest, so that a cut takes the least useful. */
function orderEvidence(result: Result, evidence: readonly Exchange[]): readonly Exchange[] {
  const rank = new Map<number, number>();
  for (const finding of orderFindings(result.findings)) {
    for (const [position, seq] of finding.exchanges.entries()) {
      const value = rank.size + position * 10_000;
      rank.set(seq, Math.min(rank.get(seq) ?? Infinity, value));
    }
  }
  const last = Number.MAX_SAFE_INTEGER;
  return [...evidence].sort((a, b) => (rank.get(a.seq) ?? last) - (rank.get(b.seq) ?? last) || a.seq - b.seq);
}

/** Sections that the report of this run has, in reading order. */
function listSections(result: Result, hasEvidence: boolean, isCertified: boolean): readonly SideEntry[] {
  const { findings, load, conformance, limits } = result;
  const failures = listFailures(result).length;
  const doubt = isInDoubt(result);
  const health = { id: "health", title: "Measurement health" };
  const gates = load?.profiles.some((profile) => profile.gates.length > 0) === true;
  const entries: readonly (SideEntry & { readonly present?: boolean })[] = [
    { id: "verdict", title: "Verdict" },
    { id: "bundle", title: "Signed bundle", present: isCertified },
    { ...health, present: doubt },
    { id: "findings", title: "Findings", failures, present: findings.length > 0 },
    { id: "scope", title: "To complete this verdict", present: hasScopeSection(result) },
    { id: "gates", title: "Gates", present: gates },
    { id: "conformance", title: "Conformance", present: conformance !== null },
    { id: "limits", title: "Limits", present: limits !== null },
    { id: "load", title: "Latency and streaming", present: load !== null },
    { id: "passive", title: "Passive checks" },
    { id: "evidence", title: "Evidence", present: hasEvidence },
    { ...health, present: !doubt },
    { id: "method", title: "Method" },
  ];
  return entries.filter(({ present = true }) => present);
}

/** The facts that a verifier found about a signed run; every text may hold bytes of a stranger. */
interface BundleView {
  /** Name and value: who signed what, and when. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly lists: readonly { readonly title: string; readonly items: readonly string[] }[];
}

/** Stands in the report of a run that came as a bundle and was verified; empty for any other. */
function renderBundle(bundle: BundleView | undefined): SafeHtml {
  if (bundle === undefined) return html``;
  const lists = bundle.lists.filter(({ items }) => items.length > 0);
  return section({
    id: "bundle",
    title: "Signed bundle",
    body: html`<div class="card">
      ${facts(bundle.facts)}
      ${lists.map(
        ({ title, items }) =>
          html`<h3>${title}</h3>
            <ul>
              ${items.map((item) => html`<li>${item}</li>`)}
            </ul>`,
      )}
    </div>`,
  });
}
