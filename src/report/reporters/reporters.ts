import { renderHtml } from "../html/render-html.ts";
import { type Reporter, type ReporterName, reporterNames } from "./reporter.ts";
import { renderAgent } from "./agent.ts";
import { renderBadge } from "./badge.ts";
import { renderCsv } from "./csv.ts";
import { renderCtrf } from "./ctrf.ts";
import { renderGithub } from "./github.ts";
import { renderJson, renderNdjson } from "./json.ts";
import { renderJunit } from "./junit.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderOtlp } from "./otlp.ts";
import { renderPrometheus } from "./prometheus.ts";
import { createScreen } from "../terminal/screen.ts";
import { renderSummary } from "../terminal/summary.ts";

const table: Readonly<Record<ReporterName, Omit<Reporter, "name">>> = {
  html: {
    purpose: "the report as one self-contained page",
    defaultPath: "report.html",
    render: (result, evidence) => renderHtml(result, evidence),
  },
  json: { purpose: "the whole result", defaultPath: "result.json", render: renderJson },
  ndjson: {
    purpose: "verdicts, findings and cited exchanges, one a line",
    defaultPath: "result.ndjson",
    render: renderNdjson,
  },
  junit: { purpose: "JUnit XML for CI", defaultPath: "junit.xml", render: renderJunit },
  ctrf: { purpose: "Common Test Report Format", defaultPath: "ctrf-report.json", render: renderCtrf },
  markdown: {
    purpose: "verdict, findings and gates as Markdown",
    defaultPath: "report.md",
    render: (result) => renderMarkdown(result),
  },
  github: { purpose: "annotations and step summary of GitHub Actions", defaultPath: null, render: renderGithub },
  csv: { purpose: "metrics of load as a table", defaultPath: "metrics.csv", render: renderCsv },
  prometheus: {
    purpose: "metrics and verdicts in the Prometheus text format",
    defaultPath: "metrics.prom",
    render: renderPrometheus,
  },
  otlp: {
    purpose: "metrics and verdicts for an OpenTelemetry collector, as OTLP in JSON",
    defaultPath: "metrics.otlp.json",
    render: renderOtlp,
  },
  badge: { purpose: "endpoint document of a shields.io badge", defaultPath: "badge.json", render: renderBadge },
  terminal: {
    purpose: "the summary as plain text",
    defaultPath: null,
    render: (result) => renderSummary(result, createScreen({ stream: { write: () => true }, env: {} })),
  },
  agent: {
    purpose: "findings for a program that mends the target, in at most 1,500 tokens",
    defaultPath: "agent.txt",
    render: renderAgent,
  },
};

/** Every reporter by its name on the command line. */
export const reporters = Object.fromEntries(reporterNames.map((name) => [name, { name, ...table[name] }])) as Readonly<
  Record<ReporterName, Reporter>
>;
