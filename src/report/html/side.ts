import type { Result } from "../../core/result.ts";
import { html, type SafeHtml } from "./safe-html.ts";

/** Contents and tools; the tools appear only when scripts run. */
export function renderSide(result: Result, hasEvidence: boolean): SafeHtml {
  const failures = result.findings.filter((finding) => finding.verdict === "fail" && !finding.baselined).length;
  const gates = result.load?.profiles.some((profile) => profile.gates.length > 0) === true;
  const entries: readonly (readonly [id: string, title: string, count?: number])[] = [
    ["verdict", "Verdict"],
    ["health", "Measurement health"],
    ["findings", "Findings", failures],
    ...(gates ? ([["gates", "Gates"]] as const) : []),
    ...(result.conformance === null ? [] : ([["conformance", "Conformance"]] as const)),
    ...(result.limits === null ? [] : ([["limits", "Limits"]] as const)),
    ...(result.load === null ? [] : ([["load", "Latency and streaming"]] as const)),
    ["passive", "Every response"],
    ...(hasEvidence ? ([["evidence", "Evidence"]] as const) : []),
    ["method", "Method"],
  ];
  return html`<nav class="side" aria-label="Contents">
    <div class="brand">assay<small>${result.target.name}</small></div>
    <ul>
      ${entries.map(([id, title, count]) => html`<li><a href="#${id}">${title}${count !== undefined && count > 0 && html`<span class="badge tone-fail">${count}</span>`}</a></li>`)}
    </ul>
    <div class="tools" hidden>
      <input type="search" aria-label="Filter rows, shortcut slash" placeholder="Filter  ( / )" /><span
        class="sub"
        aria-live="polite"
      ></span
      ><button type="button" data-expand>Expand all</button>
    </div>
  </nav>`;
}
