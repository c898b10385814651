import type { Result } from "../../core/result/result.ts";
import { formatCount, formatUsd } from "../text/format-number.ts";
import { facts, section } from "./parts.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";

/** Definitions behind the figures and the environment that produced them. */
export function renderMethod(result: Result): SafeHtml {
  const definitions: readonly (readonly [string, string])[] = [
    [
      "Interval of a request",
      "From just before its first byte leaves to the arrival of the response head, both ends included. The service decided somewhere inside; nothing is claimed about where.",
    ],
    [
      "Certainly and possibly admitted",
      "Certain: sent and answered inside the window. Possible: the interval touches the window. Only the certain count can prove an excess.",
    ],
    [
      "User latency",
      "From the instant at which the schedule planned the request to its last byte, so that waiting behind a slow answer counts (no coordinated omission).",
    ],
    ["Service latency", "From the instant the request was really sent. Shown beside user latency, never instead of it."],
    [
      "Time to first token",
      "First byte of the body, first event, first event with text: three instants, three curves. TTFT without a qualifier is the third.",
    ],
    [
      "Intervals",
      "95 %, distribution-free, from order statistics. A percentile is reported only where such an interval exists: from 72 samples on for p95, from 368 for p99.",
    ],
    ["Rejects", "429 answers have distributions of their own and are never mixed with successes."],
    ["Advisory", "A SHOULD or a lenient reading is not met. It fails a run only with --strict."],
    ["Secrets", "Keys appear by their name in the manifest; they are replaced when an exchange is recorded."],
  ];
  return section({
    id: "method",
    title: "Method",
    fold: "Definitions, environment, and the facts of this run",
    body: html`<div class="card">
        <dl class="facts">
          ${definitions.map(
            ([term, text]) =>
              html`<div>
                <dt>${term}</dt>
                <dd class="sub">${text}</dd>
              </div>`,
          )}
        </dl>
      </div>
      ${facts([
        ["Server", result.target.server ?? "does not say"],
        ["Tokens", `${formatCount(result.spent.promptTokens)} prompt, ${formatCount(result.spent.completionTokens)} completion`],
        ["Estimated cost", formatUsd(result.spent.estimatedUsd)],
        ["Seed", html`<code>${result.seed}</code>`],
        ["Run", html`<code>${result.runId}</code>`],
        ...(result.label === undefined ? [] : [["Label", html`<code>${result.label}</code>`] as const]),
        ["Tool", `${result.tool.name} ${result.tool.version}`],
        ["Runtime", `${result.tool.node}, ${result.tool.platform}`],
        ["Specification", result.spec.title],
        ["Its SHA-256", html`<code>${result.spec.sha256}</code>`],
        ["Command", html`<code>${result.command.join(" ")}</code>`],
      ])}`,
  });
}
