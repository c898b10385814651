import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { formatNumber } from "../text/format-number.ts";
import { repeatEndWords } from "../text/request-words.ts";
import { drawRuns } from "../charts/runs.ts";
import { table } from "./parts.ts";
import { html, nothing, type SafeHtml } from "../escape/safe-html.ts";

/** Each run as a dot, and the interval of their mean as a bar. */
export function renderRepeats(profile: LoadProfileResult): SafeHtml {
  const { repeat, repeats } = profile;
  if (repeats === undefined || repeat === undefined) return nothing;
  const missing = repeats.end?.reason === "narrow" ? 0 : repeats.planned - repeats.runs;
  const ended = repeatEndWords(profile);
  return html`<div>
    <h4>All ${repeats.runs} runs${missing > 0 && ` of ${repeats.planned}`}</h4>
    <p class="sub">
      The gates of this profile are judged over all runs. A dot is a run, the bar the 95 % interval of their mean; spread between
      runs that is much larger than within one is no chance of single requests.
    </p>
    ${ended !== "" && html`<p class="sub">The runs ${ended}.</p>`}
    ${table({
      caption: `Figures of all runs of ${repeat.of}`,
      head: ["Figure", "Mean", "95 % interval", "Between runs", "Within a run", "Runs"],
      figures: [1, 2, 3, 4],
      rows: repeats.figures.map((figure) => {
        const unit = html` <span class="sub">${figure.unit}</span>`;
        return [
          figure.name,
          html`${formatNumber(figure.mean)}${unit}`,
          html`${formatNumber(Math.max(0, figure.low))} to ${formatNumber(figure.high)}${unit}`,
          html`${formatNumber(figure.between)}${unit}`,
          figure.within === null ? "–" : html`${formatNumber(figure.within)}${unit}`,
          drawRuns(figure),
        ];
      }),
    })}
  </div>`;
}
