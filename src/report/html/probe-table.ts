import type { LoadProfileResult } from "../../core/result/load-result.ts";
import type { ProbeTimes } from "../../core/result/probe-result.ts";
import { formatCount, formatMs } from "../text/format-number.ts";
import { latencyOfLoad, probeAskNames, probeCounts } from "../text/probe-words.ts";
import { verdictWords } from "../text/verdict-word.ts";
import { html, nothing, type SafeHtml } from "../escape/safe-html.ts";
import { badge, table } from "./parts.ts";

/** How another customer was served while the load ran, beside the load. */
export function renderProbe(profile: LoadProfileResult): SafeHtml {
  const { probe, title } = profile;
  if (probe === undefined) return nothing;
  return html`<div>
    <h4>Another key meanwhile ${badge(verdictWords[probe.verdict])}</h4>
    <p class="sub">
      Every ${probe.everySeconds} s a request of another customer, in no figure of the load: ${probeCounts(probe)}. Its requests
      are short; those of the load may be longer.
    </p>
    ${table({
      caption: `Requests of another key during ${title}`,
      head: ["Request", "Sent", "As asked", "429", "p50", "Max", "Load p50", "First token p50", "Load first token p50"],
      figures: [1, 2, 3, 4, 5, 6, 7, 8],
      rows: probe.operations.map((operation) => [
        probeAskNames[operation.operation],
        formatCount(operation.sent),
        formatCount(operation.ok),
        formatCount(operation.refused),
        medianOf(operation.latencyMs),
        operation.latencyMs === null ? "–" : formatMs(operation.latencyMs.max),
        showMs(latencyOfLoad(profile, operation, "user-latency")),
        medianOf(operation.ttftMs),
        showMs(operation.operation === "chat-stream" ? latencyOfLoad(profile, operation, "ttft") : null),
      ]),
    })}
  </div>`;
}

function medianOf(times: ProbeTimes | null): string {
  return showMs(times?.median ?? null);
}

function showMs(ms: number | null): string {
  return ms === null ? "–" : formatMs(ms);
}
