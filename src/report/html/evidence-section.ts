import type { Exchange, RecordedBody, RecordedStream, Timing } from "../../core/exchange/exchange.ts";
import { endpoints } from "../../core/exchange/endpoint.ts";
import { clip } from "../escape/clip.ts";
import { countOf, formatInstant, formatMs } from "../text/format-number.ts";
import { badge, section } from "./parts.ts";
import { html, type Insertable, markupOf, nothing, type SafeHtml, trustMarkup } from "../escape/safe-html.ts";
import { scaleLinear } from "d3-scale";
import { px } from "../charts/svg.ts";

/** Characters of one body, and events of one stream, that the report shows. */
const maxBody = 4_000;
const maxEvents = 24;
const maxHeaders = 40;

export interface RenderedEvidence {
  readonly markup: SafeHtml;
  readonly shown: ReadonlySet<number>;
}

/** Characters of markup for all exchanges that no finding cites, at most. */
const maxOtherChars = 6_000;

/**
 * Exchanges in the given order until `budgetChars` of markup are used up, those that no finding cites until much less; what
 * was left out is said.
 */
export function renderEvidence(
  exchanges: readonly Exchange[],
  budgetChars: number,
  essential: ReadonlySet<number>,
): RenderedEvidence {
  const shown = new Set<number>();
  const parts: string[] = [];
  let used = 0;
  let usedByOthers = 0;
  for (const exchange of exchanges) {
    const text = markupOf(renderExchange(exchange));
    const other = !essential.has(exchange.seq);
    if (used + text.length > budgetChars || (other && usedByOthers + text.length > maxOtherChars)) continue;
    used += text.length;
    if (other) usedByOthers += text.length;
    parts.push(text);
    shown.add(exchange.seq);
  }
  const left = exchanges.filter((exchange) => essential.has(exchange.seq) && !shown.has(exchange.seq)).length;
  if (exchanges.length === 0) return { markup: nothing, shown };
  const markup = section({
    id: "evidence",
    title: "Evidence",
    fold: `${countOf(shown.size, "exchange")}, with requests and answers`,
    lead: `${countOf(shown.size, "exchange")}: what findings cite, and a few that show other verdicts. Every exchange of the run is in evidence.ndjson.`,
    body: html`${left > 0 && html`<p class="note">${countOf(left, "cited exchange")} did not fit into this file and can be read in evidence.ndjson.</p>`}
      <div class="card">${trustMarkup(parts.join(""))}</div>`,
  });
  return { markup, shown };
}

function renderExchange(exchange: Exchange): SafeHtml {
  const { request, response, failure, timing } = exchange;
  const status = response === null ? (failure?.kind ?? "no answer") : String(response.status);
  const path = clip(request.path, 200);
  return html`<details class="exchange" id="x${exchange.seq}" data-row>
    <summary>
      <span class="id">#${exchange.seq}</span
      ><span class="grow"
        ><code>${request.method} ${path}</code> → <strong>${status}</strong>
        <span class="sub">${clip(exchange.caseId, 120)} · ${clip(exchange.label, 120)}</span></span
      ><span class="sub">${formatMs(timing.endMs - timing.sentMs)}</span>
    </summary>
    <div class="inside">
      <p class="sub">${describe(exchange)}</p>
      ${drawTimingBar(timing)}
      <div class="pair">
        <div class="stack">
          <h3>Request</h3>
          <pre>${headerLines(request.headers)}${bodyText(request.body)}</pre>
        </div>
        <div class="stack">
          <h3>Response</h3>
          <pre>
${response === null ? `${failure?.kind ?? "none"}: ${clip(failure?.message ?? "", 500)}` : html`HTTP ${response.status} ${headerLines(response.headers)}${bodyText(response.body)}${streamText(response.stream, timing.sentMs)}`}</pre>
        </div>
      </div>
    </div>
  </details> `;
}

function describe(exchange: Exchange): Insertable {
  const endpoint =
    exchange.endpoint === null
      ? "no route of the specification"
      : `${endpoints[exchange.endpoint].method} ${endpoints[exchange.endpoint].path}`;
  const attempt = exchange.attempt > 1 ? `, attempt ${exchange.attempt} of #${exchange.retryOf ?? "?"}` : "";
  const connection =
    exchange.connection === null
      ? ""
      : `, connection ${exchange.connection.id}${exchange.connection.reused ? " reused" : " new"}`;
  return html`${badge({ glyph: "→", ascii: ">", word: exchange.intent.kind, tone: "plain" })} ${endpoint} · key
  ${exchange.keyName ?? "none"} · sent ${formatInstant(exchange.timing.sentMs)}${attempt}${connection}`;
}

function headerLines(headers: Exchange["request"]["headers"]): string {
  const lines = headers.slice(0, maxHeaders).map(([name, value]) => `${clip(name, 100)}: ${clip(value, 400)}\n`);
  return lines.join("") + (headers.length > maxHeaders ? `… ${headers.length - maxHeaders} more fields\n` : "");
}

function bodyText(body: RecordedBody | null): string {
  if (body === null) return "";
  const shown = body.text ?? (body.base64 === undefined ? "" : `base64 ${body.base64}`);
  const isPart = body.truncated || body.shortened === true;
  const note = isPart ? `\n… recorded in part, ${body.bytes} bytes in all` : "";
  return `\n${clip(shown, maxBody)}${note}`;
}

function streamText(stream: RecordedStream | null, sentMs: number): string {
  if (stream === null) return "";
  const lines = stream.events
    .slice(0, maxEvents)
    .map(
      (event) =>
        `+${(event.atMs - sentMs).toFixed(1)} ms  ${event.event === "message" ? "" : `${clip(event.event, 60)} `}${clip(event.data, 300)}`,
    );
  const more = stream.events.length > maxEvents ? `\n… ${stream.events.length - maxEvents} more events` : "";
  return `\n${lines.join("\n")}${more}`;
}

/** Sent, head and end of one exchange as a bar, the figures beside it. */
function drawTimingBar(timing: Timing): SafeHtml {
  const x = scaleLinear([0, Math.max(0.001, timing.endMs - timing.sentMs)], [0, 240]);
  const head = (timing.headersMs ?? timing.endMs) - timing.sentMs;
  const body = timing.endMs - timing.sentMs - head;
  const label =
    timing.headersMs === null ? `no head within ${formatMs(head)}` : `head after ${formatMs(head)}, body ${formatMs(body)}`;
  return html`<p class="timing sub">
    <svg class="bar" viewBox="0 0 242 8" aria-hidden="true">
      <rect width="${px(Math.max(1, x(head)))}" height="8" class="f-other" />
      <rect x="${px(x(head))}" width="${px(Math.max(1, x(body)))}" height="8" class="f-admit" /></svg
    >${label}
  </p>`;
}
