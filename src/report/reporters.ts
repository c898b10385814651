import { renderHtml } from "./html/render-html.ts";
import type { Reporter, ReporterName } from "./reporter.ts";
import { renderJson, renderNdjson } from "./sinks/json.ts";
import { renderJunit } from "./sinks/junit.ts";
import { createScreen } from "./terminal/screen.ts";
import { renderSummary } from "./terminal/summary.ts";

/** Every reporter by its name on the command line. */
export const reporters: Readonly<Partial<Record<ReporterName, Reporter>>> = {
  html: {
    name: "html",
    purpose: "the report as one self-contained page",
    defaultPath: "report.html",
    render: (result, evidence) => renderHtml(result, evidence),
  },
  json: { name: "json", purpose: "the whole result", defaultPath: "result.json", render: renderJson },
  ndjson: {
    name: "ndjson",
    purpose: "verdicts, findings and cited exchanges, one a line",
    defaultPath: "result.ndjson",
    render: renderNdjson,
  },
  junit: { name: "junit", purpose: "JUnit XML for CI", defaultPath: "junit.xml", render: renderJunit },
  terminal: {
    name: "terminal",
    purpose: "the summary as plain text",
    defaultPath: null,
    render: (result) => renderSummary(result, createScreen({ stream: { write: () => true }, env: {} })),
  },
};
