import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Result } from "../../../src/core/result/result.ts";
import type { LimitTimelineOp } from "../../../src/core/result/limits-result.ts";
import { renderHtml } from "../../../src/report/html/render-html.ts";
import { script } from "../../../src/report/html/script.ts";
import { styles } from "../../../src/report/html/styles.ts";
import { olderResult } from "../older-result.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";

const { result, evidence } = buildSample();
const page = renderHtml(result, evidence);

/** Empty run: every stage unselected. */
const bare: Result = {
  ...result,
  conformance: null,
  limits: null,
  load: null,
  findings: [],
  notes: [],
  passive: { responsesSeen: 0, responsesJudged: 0, account: [], violations: [] },
};

describe("renderHtml", () => {
  it("gives the same bytes for the same input", () => {
    const again = buildSample();
    expect(renderHtml(again.result, again.evidence)).toBe(page);
  });

  it("stays below 300 KB for a typical run and its script below 8 KB", () => {
    expect(Buffer.byteLength(page)).toBeLessThan(300_000);
    expect(Buffer.byteLength(script)).toBeLessThan(8_192);
  });

  it("pins its style and its script by hash and allows nothing else", () => {
    const hash = (text: string): string => createHash("sha256").update(text).digest("base64");
    const policy = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(page)?.[1];
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash(styles)}'; script-src 'sha256-${hash(script)}'; img-src data:; base-uri 'none'; form-action 'none'`,
    );
    expect(page).toContain(`<style>${styles}</style>`);
    expect(page).toContain(`<script>${script}</script>`);
  });

  it("reports the verdict and its reason before anything else in main", () => {
    const main = page.slice(page.indexOf("<main"));
    const order = [
      "Failed</h1>",
      "6 failures: 4 requirements",
      'id="findings"',
      'id="gates"',
      'id="conformance"',
      'id="limits"',
      'id="load"',
      'id="passive"',
      'id="evidence"',
      'id="health"',
      'id="method"',
    ];
    const positions = order.map((text) => main.indexOf(text));
    expect(positions.every((position) => position >= 0)).toBe(true);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
  });

  it("says in captions what the charts show", () => {
    for (const caption of [
      "63 requests were certainly admitted in window 2, which was declared to hold 60.",
      "1 of 4 windows certainly admitted more than declared.",
      "Retry-After: 18 promises to wait, 1 too short, header and body differ on 2.",
      "A cooldown of 30 s was promised; the first admission was seen after 30.2 s.",
      "Spending reached $0.23, past the cap of $0.20.",
      "Goodput reaches 59.4 /s at 60 /s offered",
      "Lawful would be: 429 for the last three.",
    ]) {
      expect(page).toContain(caption);
    }
  });

  it("gives each chart a title, a description and each figure a caption", () => {
    const charts = page.match(/<svg viewBox="0 0 1000[\s\S]*?<\/svg>/g) ?? [];
    expect(charts.length).toBeGreaterThan(10);
    for (const chart of charts) expect(chart).toMatch(/role="img"\s*>\s*<title>[^<]+<\/title>\s*<desc>[^<]+<\/desc>/);
    expect(page.match(/<figure>/g)?.length).toBe(page.match(/<figcaption>/g)?.length);
  });

  it("never joins rejects to the latency of successes", () => {
    const withoutOk: Result = {
      ...result,
      load: {
        calibration: null,
        profiles: (result.load?.profiles ?? []).map((profile) => ({
          ...profile,
          distributions: profile.distributions.filter(({ outcome }) => outcome !== "ok"),
        })),
      },
    };
    expect(page).toContain("Latency of chat by percentile");
    expect(renderHtml(withoutOk, [])).not.toContain("Latency of chat by percentile");
  });

  it("sets the usage report beside the answers and a second generator beside ours", () => {
    expect(page).toContain("the report grew by what the answers stated");
    expect(page).toContain("812 /s over 20 connections, 85 % of it with our engine");
  });

  it("calls no machine fit, and no measurement valid, without the doubts about its accuracy", () => {
    const textOf = (changed: Result): string =>
      renderHtml(changed, evidence)
        .replaceAll(/<[^>]*>/g, " ")
        .replaceAll(/\s+/g, " ");
    const { load } = result;
    const doubtful = { ...load!, calibration: { ...load!.calibration!, doubts: ["instrument: 97.0 % of the events"] } };
    const sure = { ...load!, calibration: { ...load!.calibration!, doubts: [] } };
    const health = { ...result.health, valid: true, reasons: [] };
    expect(textOf({ ...result, health, load: sure })).toMatch(/fit to measure\? ✓ fit Event/);
    expect(textOf({ ...result, health, load: doubtful })).toMatch(/fit to measure\? ! fit, with limited accuracy/);
    const calibration = { ...sure.calibration, intervalCoverage: 0.93955 };
    // As the sentence of the doubt writes it: two figures for one share would contradict each other.
    expect(textOf({ ...result, health, load: { ...sure, calibration } })).toContain("Interval coverage 93.9 %");
    const blind = { profiles: sure.profiles, calibration: null, uncalibrated: "the calibration of this machine failed: why" };
    const unknown = textOf({ ...result, health, load: blind });
    expect(unknown).toMatch(/fit to measure\? ! fit, with limited accuracy .*the calibration of this machine failed: why/);
    expect(unknown).toContain("Error of this machine not measured");
    const [first, ...rest] = sure.profiles;
    const gates = first!.gates.map((gate) => ({ ...gate, verdict: "inconclusive" as const, doubt: "instrument" as const }));
    const validity = { valid: true, reasons: [] };
    const coarse = { ...sure, profiles: [{ ...first!, validity, gates }, ...rest] };
    expect(textOf({ ...result, health, load: coarse })).toContain(`! valid, but too inaccurate for ${gates.length} gate`);
  });

  it("says why planned sends never left, and reads results that do not tell", () => {
    expect(page).toMatch(/Not sent[\s\S]{0,40}9 Retry-After obeyed, 3 maxInFlight reached/);
    expect(renderHtml(olderResult(result), [])).not.toContain("Retry-After obeyed");
  });

  it("breaks the line of remaining where nothing was observed", () => {
    const timeline = /Admission timeline of Requests per minute[\s\S]*?<\/svg>/.exec(page)?.[0] ?? "";
    const line = /<path d="(M[^"]*)"\s+class="s-admit"\s+stroke-width="1.4"/.exec(timeline)?.[1] ?? "";
    expect(line.match(/M/gi)?.length).toBeGreaterThanOrEqual(4);
  });

  it("accuses only where a check does: the same timeline of a policy that passed is reported neutrally", () => {
    const passed: Result = {
      ...result,
      findings: [],
      limits: {
        ...result.limits!,
        policies: result.limits!.policies.map((policy) => ({
          ...policy,
          verdict: "pass",
          checks: policy.checks.map((check) => ({ ...check, verdict: "pass", findings: [] })),
          timeline: { ...policy.timeline, ops: policy.timeline.ops.map((op) => ({ ...op, findings: [] })) },
        })),
      },
    };
    const limits = /<section id="limits"[\s\S]*?<\/section>/.exec(renderHtml(passed, []))?.[0] ?? "";
    expect(limits).toContain(
      "1 of 4 windows admitted more than its label names, which some lawful limiters do; no check holds it against the service.",
    );
    expect(limits).toContain("the checks hold none against the service");
    expect(limits).not.toMatch(/[fs]-fail|class="tf"|past the cap|✗/);
  });

  it("folds checks of limits that do not apply, and lists them below those that judged", () => {
    const limits = result.limits!;
    const [policy] = limits.policies;
    const [check] = policy!.checks;
    const inapplicable = {
      ...check!,
      verdict: "not-applicable" as const,
      findings: [],
      certificate: null,
      title: "Of two waits",
    };
    const examined = renderHtml({ ...result, limits: { ...limits, policies: [{ ...policy!, checks: [inapplicable] }] } }, []);
    expect(examined).toMatch(/1 check not judged<\/span><\/summary>[^]*?· not applicable<\/i>\s*<p>Of two waits/);
    const profile = result.load!.profiles[0]!;
    const limitChecks = [inapplicable, { ...inapplicable, verdict: "fail" as const, title: "Of an excess" }].map((each) => ({
      ...each,
      policy: "p",
      kind: "requests",
    }));
    const text = renderHtml({ ...result, load: { ...result.load!, profiles: [{ ...profile, limitChecks }] } }, []);
    const table = text.slice(text.indexOf("Limit checks over the traffic"));
    expect(table.indexOf("Of an excess")).toBeGreaterThan(0);
    expect(table.indexOf("Of an excess")).toBeLessThan(table.indexOf("Of two waits"));
  });

  it("draws caps that change as a step line and folds idle time", () => {
    const policy = result.limits!.policies[2]!;
    const spread: Result = {
      ...result,
      limits: {
        ...result.limits!,
        policies: [
          {
            ...policy,
            verdict: "pass",
            timeline: {
              ...policy.timeline,
              ops: policy.timeline.ops.map((op, index) => ({
                ...op,
                findings: [],
                sentMs: op.sentMs + (index > 8 ? 900_000_000 : 0),
                headersMs: op.sentMs + (index > 8 ? 900_000_000 : 0) + 300,
              })),
              caps: [
                { atMs: 0, cents: 20 },
                { atMs: 310_000, cents: 40 },
              ],
            },
          },
        ],
      },
    };
    const text = renderHtml(spread, []);
    expect(text).toContain("dashed: cap in force");
    expect(text).toContain(">10 d</text>");
    expect(text).not.toContain("past the cap");
  });

  it("renders a run in which no stage was selected", () => {
    const text = renderHtml(bare, []);
    expect(text).not.toContain('class="tile"');
    expect(text).not.toContain('id="evidence"');
    expect(text).not.toContain("NaN");
  });

  it("prints no NaN, undefined or null", () => {
    expect(page.replace(/<script>[\s\S]*<\/script>/, "")).not.toMatch(/NaN|undefined|\bnull\b|Infinity/);
  });
});

describe("size", () => {
  it("cuts evidence when the cap is reached, says so, and keeps the evidence of failures", () => {
    const many = Array.from({ length: 400 }, (_, index) => ({ ...evidence[index % evidence.length]!, seq: 5_000 + index }));
    const [first] = result.findings;
    const flooded: Result = {
      ...result,
      findings: [...result.findings, { ...first!, id: "F099", verdict: "advisory", exchanges: many.map(({ seq }) => seq) }],
    };
    const text = renderHtml(flooded, [...many, ...evidence], { maxBytes: 330_000, evidenceBytes: 1_000_000 });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(330_000);
    expect(text).toMatch(/\d+ cited exchanges did not fit/);
    expect(text).toContain('id="x41"');
  });

  it("gives little room to exchanges that no finding cites", () => {
    const others = Array.from({ length: 400 }, (_, index) => ({ ...evidence[index % evidence.length]!, seq: 5_000 + index }));
    const text = renderHtml(result, [...others, ...evidence]);
    expect(Buffer.byteLength(text) - Buffer.byteLength(page)).toBeLessThan(30_000);
    expect(text.match(/id="x5\d+"/g)?.length).toBeGreaterThan(3);
    for (const { seq } of evidence) expect(text).toContain(`id="x${seq}"`);
  });

  it("holds 2 MB and a second whatever the size of the run", () => {
    const big = enlarge(result);
    const before = process.cpuUsage();
    const text = renderHtml(big, evidence);
    const { user, system } = process.cpuUsage(before);
    expect(Buffer.byteLength(text)).toBeLessThan(2_000_000);
    expect(text).toContain("more findings are in result.json");
    // A second on an idle core; processor time grows too where others share its caches.
    expect((user + system) / 1000).toBeLessThan(4_000);
    for (const chart of text.match(/<svg viewBox="0 0 1000[\s\S]*?<\/svg>/g) ?? []) {
      const marks =
        (chart.match(/<(?:rect|circle|path|text)/g)?.length ?? 0) +
        [...chart.matchAll(/\sd="([^"]*)"/g)].reduce((sum, [, d]) => sum + (d?.match(/M|m(?=[\d.-]+-8v8)/g)?.length ?? 0), 0);
      expect(marks).toBeLessThan(3_000);
    }
  });
});

function enlarge(base: Result): Result {
  const [finding] = base.findings;
  const policy = base.limits?.policies[0];
  const profile = base.load?.profiles[0];
  if (finding === undefined || policy === undefined || profile === undefined || base.limits === null || base.load === null)
    throw new Error("the sample lacks a stage");
  const ops: LimitTimelineOp[] = Array.from({ length: 60_000 }, (_, index) => ({
    seq: index,
    endpoint: "models",
    phase: "D",
    sentMs: index * 7,
    headersMs: index * 7 + 30,
    lane: index % 5 === 0 ? "rejected" : "admitted",
    status: 200,
    limit: 600,
    remaining: 600 - (index % 600),
    resetMs: Math.ceil(index / 600) * 60_000,
    findings: [],
  }));
  const feasible = ops.map((op) => ({ atMs: op.sentMs, low: 0, high: 600 }));
  return {
    ...base,
    findings: Array.from({ length: 5_000 }, (_, index) => ({ ...finding, id: `F${index}` })),
    limits: { ...base.limits, policies: [{ ...policy, timeline: { ...policy.timeline, ops, feasible } }] },
    load: {
      ...base.load,
      profiles: [
        {
          ...profile,
          series: Array.from({ length: 7_200 }, (_, second) => ({ ...profile.series[0]!, second })),
          heatmap: {
            columnMs: 1_000,
            rowsMs: profile.heatmap?.rowsMs ?? [],
            cells: Array.from({ length: 7_200 }, () => profile.heatmap?.cells[0] ?? []),
          },
          streams: Array.from({ length: 200 }, (_, index) => ({
            ...profile.streams[index % profile.streams.length]!,
            seq: index,
          })),
        },
      ],
    },
  };
}
