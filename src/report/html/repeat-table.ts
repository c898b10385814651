import type { LoadProfileResult, RepeatFigure } from "../../core/result/load-result.ts";
import { formatNumber } from "../text/format-number.ts";
import { repeatEndWords } from "../text/request-words.ts";
import { table } from "./parts.ts";
import { html, nothing, type SafeHtml } from "../escape/safe-html.ts";
import { scaleLinear } from "d3-scale";
import { px } from "../charts/svg.ts";

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

/** A small picture for a table: each run as a dot, the interval of their mean as a bar. The scale is that of the figure alone. */
function drawRuns({ name, unit, values, mean, low, high }: RepeatFigure): SafeHtml {
  const ends = [...values, Math.max(0, low), high];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const x = scaleLinear([least, most > least ? most : least + 1], [8, 212]);
  const shown = values.map((value) => formatNumber(value)).join(", ");
  const label = `${name}: runs ${shown} ${unit}; mean ${formatNumber(mean)}, 95 % interval ${formatNumber(Math.max(0, low))} to ${formatNumber(high)} ${unit}`;
  return html`<svg class="small" viewBox="0 0 220 20" role="img" aria-label="${label}">
    <rect x="4" y="8.5" width="212" height="3" rx="1.5" class="f-faint" />
    <rect
      x="${px(x(Math.max(0, low)))}"
      y="7"
      width="${px(Math.max(1.5, x(high) - x(Math.max(0, low))))}"
      height="6"
      rx="3"
      class="f-admit"
      opacity=".45"
    />
    ${values.map((value) => html`<circle cx="${px(x(value))}" cy="10" r="4" class="f-admit" />`)}
    <path d="M${px(x(mean))} 2V18" class="s-ink" stroke-width="2" />
  </svg>`;
}
