import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareTools, type ToolComparison } from "../../../../src/features/compare/tools/compare-tools.ts";
import { meanings } from "../../../../src/features/compare/tools/foreign-report.ts";
import { readToolReports } from "../../../../src/features/compare/tools/read-tool-reports.ts";
import { renderToolComparison } from "../../../../src/features/compare/tools/render-tool-comparison.ts";
import { runAssay } from "../../../cli/run-assay.ts";
import { hostileStrings } from "../../../make/hostile/hostile-strings.ts";
import { buildSample } from "../../../make/sample-result/sample-result.ts";
import { aiperfFile, guidellmFile, inferencePerfFile, k6Export, k6Results, k6Summary, vllmFile } from "./sample-files.ts";
import { runsOf } from "../../../make/runner/sample.ts";

const { result } = buildSample();
const own = readToolReports(JSON.parse(JSON.stringify(result)))!;

function compare(base: object, next: object): ToolComparison {
  return compareTools(readToolReports(base)!.reports[0]!.report, readToolReports(next)!.reports[0]!.report);
}

/** `meaning statistic` -> base value */
function compared({ figures }: ToolComparison): Readonly<Record<string, readonly [number, number]>> {
  return Object.fromEntries(
    figures.map(({ meaning, statistic, base, next }) => [`${meaning} ${statistic}`, [base, next] as const]),
  );
}

describe("results of other tools", () => {
  it.each([
    ["vLLM bench", vllmFile()],
    ["AIPerf", aiperfFile()],
    ["GuideLLM", guidellmFile()],
    ["k6", k6Export()],
    ["k6", k6Summary()],
    ["k6", k6Results()],
    ["inference-perf", inferencePerfFile()],
  ])("%s is known by its form", (tool, file) => {
    const read = readToolReports(file)!;
    expect(read).toMatchObject({ own: false, reports: [{ report: { tool } }] });
    expect(read.reports[0]!.report.figures.length).toBeGreaterThan(4);
  });

  it("have units of their own: seconds of GuideLLM become milliseconds, and AIPerf is read in milliseconds only", () => {
    expect(compared(compare(guidellmFile(), aiperfFile()))["request-latency p50"]).toEqual([1050, 1100]);
    const microseconds = aiperfFile({ request_latency: { unit: "us", avg: 1, p50: 1 } });
    expect(compared(compare(guidellmFile(), microseconds))).not.toHaveProperty("request-latency p50");
  });

  it("are compared where they mean the same, and by name refused where they do not", () => {
    const both = compare(vllmFile(), aiperfFile());
    expect(compared(both)).toMatchObject({
      "request-latency p50": [1000, 1100],
      "request-latency p99": [4000, 4400],
      "ok-per-second rate": [7.6, 7.5],
      "output-tokens-per-second rate": [800, 780],
      "failed-fraction fraction": [0.05, 0.025],
    });
    // The first chunk of vLLM bench may be empty; the first response of AIPerf has content.
    expect(
      both.figures.some(({ meaning }) => meaning === "first-token" || meaning === "first-event" || meaning === "time-per-token"),
    ).toBe(false);
    const refused = both.refused.map(({ side, figure }) => `${side} ${figure}`);
    expect(refused).toEqual(
      expect.arrayContaining([
        "base tpot",
        "base itl",
        "base ttft as time to first token",
        "next inter_chunk_latency",
        "next time_to_first_token.p50",
      ]),
    );
  });

  it("of GuideLLM give no time per token: it weights requests by their tokens, or includes the first token", () => {
    const both = compare(guidellmFile(), aiperfFile());
    expect(compared(both)["first-token p95"]).toEqual([330, 360]);
    expect(Object.keys(compared(both)).filter((name) => name.startsWith("time-per-token"))).toEqual([]);
    expect(both.refused.map(({ figure }) => figure)).toEqual(
      expect.arrayContaining(["inter_token_latency_ms", "time_per_output_token_ms", "output_tokens_per_second"]),
    );
  });

  it("of k6 give latencies of successes only", () => {
    expect(compared(compare(k6Summary(), vllmFile()))["request-latency mean"]).toEqual([1010, 1100]);
    const mixed = compare(k6Export({ http_req_failed: { passes: 20, fails: 180, value: 0.1 } }), vllmFile());
    expect(mixed.figures.map(({ meaning }) => meaning)).toEqual(["failed-fraction"]);
    expect(mixed.refused.find(({ figure }) => figure === "http_req_duration")?.reason).toContain("failed requests are mixed in");
  });

  it("of k6 mean the same in both forms of its summary", () => {
    const both = compared(compare(k6Results(), k6Summary()));
    for (const figure of ["request-latency mean", "request-latency p90", "sent-per-second rate", "failed-fraction fraction"])
      expect(both[figure]?.[0]).toBe(both[figure]?.[1]);
    expect(readToolReports(k6Results())!.reports[0]!.report.version).toBe("1.8.1");
  });

  it("of inference-perf are seconds, and its gaps between chunks are refused", () => {
    const both = compare(inferencePerfFile(), guidellmFile());
    expect(compared(both)).toMatchObject({ "request-latency p50": [1200, 1050], "first-token p95": [390, 330] });
    expect(compared(compare(inferencePerfFile(), vllmFile()))["failed-fraction fraction"]).toEqual([0.05, 0.05]);
    expect(both.refused.map(({ figure }) => figure)).toEqual(
      expect.arrayContaining(["time_per_output_token", "normalized_time_per_output_token", "inter_token_latency"]),
    );
  });

  it("take no zero for a measured latency", () => {
    const silent = vllmFile({ mean_ttft_ms: 0, median_ttft_ms: 0, mean_e2el_ms: 0, median_e2el_ms: 0 });
    expect(compared(compare(silent, vllmFile()))).not.toHaveProperty("first-event p50");
  });

  it("stand beside a run of assay under the same meanings", () => {
    const profile = own.reports[0]!;
    const both = compareTools(profile.report, readToolReports(aiperfFile())!.reports[0]!.report);
    const ttft = result.load!.profiles[0]!.distributions.find(
      ({ metric, outcome, phase }) => metric === "ttft" && outcome === "ok" && phase === "whole",
    )!;
    expect(compared(both)["first-token p50"]).toEqual([ttft.percentiles.find(({ percentile }) => percentile === 50)!.value, 120]);
    expect(both.refused.map(({ figure }) => figure)).toContain("user-latency");
    expect(both.base).toMatchObject({ tool: "assay", version: "0.1.0" });
  });

  it("of AIPerf name their load as versions before 0.13 wrote it, and as it does", () => {
    const loadOf = (input_config: object): string => compare(aiperfFile({ input_config }), vllmFile()).base.load;
    expect(loadOf({ loadgen: { concurrency: 8, request_rate: null } })).toBe("no request rate, concurrency 8");
    const warmup = { name: "warmup", kind: "warmup", type: "concurrency", concurrency: 2 };
    const phases = (profiling: object): object => ({ phases: [warmup, { name: "profiling", kind: "profiling", ...profiling }] });
    expect(loadOf(phases({ type: "concurrency", concurrency: 16 }))).toBe("no request rate, concurrency 16");
    expect(loadOf(phases({ type: "poisson", rate: 4, concurrency: null }))).toBe("4 request rate, concurrency unknown");
    expect(loadOf({ phases: "none" })).toBe("no request rate, concurrency unknown");
  });

  it("of AIPerf say which divisor their time per token has, and that a run was cut short", () => {
    const caveats = (file: object): readonly string[] =>
      compare(file, file)
        .figures.filter(({ meaning }) => meaning === "time-per-token")
        .flatMap((figure) => figure.caveats);
    expect(caveats(aiperfFile())).toEqual([]);
    expect(new Set(caveats(aiperfFile({ schema_version: undefined })))).toEqual(
      new Set(["AIPerf: may count one token in the first event"]),
    );
    expect(compare(aiperfFile({ is_complete: false }), vllmFile()).base.load).toContain("not complete");
  });

  it("have no figure without unit and text, and never a verdict", () => {
    const both = compare(vllmFile(), vllmFile());
    for (const { meaning, unit, text, relative } of both.figures)
      expect({ unit, text, relative }).toEqual({ ...meanings[meaning], relative: 0 });
    expect(both).not.toHaveProperty("verdict");
    expect(renderToolComparison(both)).toContain("no verdict");
  });

  it("are read from any JSON without an exception, and never invent a figure that is no number", () => {
    const base = [vllmFile(), aiperfFile(), guidellmFile(), k6Export(), k6Summary(), k6Results(), inferencePerfFile()];
    fc.assert(
      fc.property(fc.constantFrom(...base), fc.array(fc.tuple(fc.string(), fc.jsonValue())), fc.nat(), (file, extra, at) => {
        const entries = Object.entries(file);
        const [name] = entries[at % entries.length]!;
        const spoiled = { ...file, [name]: extra[0]?.[1] ?? null, ...Object.fromEntries(extra) };
        for (const { report } of readToolReports(JSON.parse(JSON.stringify(spoiled)))?.reports ?? []) {
          for (const { value } of report.figures) expect(Number.isFinite(value) && value >= 0).toBe(true);
          expect(renderToolComparison(compareTools(report, report))).toContain("no verdict");
        }
      }),
      { numRuns: runsOf(300), seed: 14 },
    );
  });

  it("bring no byte of their texts onto a terminal unescaped", () => {
    for (const text of hostileStrings) {
      const shown = renderToolComparison(compare(vllmFile({ model_id: text }), aiperfFile({ aiperf_version: text })));
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
      expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }
  });
});

describe("assay compare with results of other tools", () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-foreign-"));
  const write = (name: string, file: unknown): string => {
    writeFileSync(join(folder, name), JSON.stringify(file));
    return name;
  };
  const [vllm, guidellm, assay] = [
    write("vllm.json", vllmFile()),
    write("guidellm.json", guidellmFile([5, 10])),
    write("result.json", result),
  ];

  it("prints the figures, what they mean and what was refused, as text and as JSON", async () => {
    const text = await runAssay(["compare", vllm, `${guidellm}#1`], { folder });
    expect(text).toMatchObject({ exitCode: 0, stderr: "" });
    expect(text.stdout).toMatch(/^request-latency p50 +1,?000 ms +1,?050 ms +\+5\.0 %$/m);
    expect(text.stdout).toContain("GuideLLM 0.8.1: constant 10/s");
    const json = await runAssay(["compare", vllm, `${guidellm}#0`, "--json"], { folder });
    expect(JSON.parse(json.stdout)).toMatchObject({ base: { tool: "vLLM bench" }, next: { tool: "GuideLLM" } });
    expect(await runAssay(["compare", `${assay}#${own.reports[0]!.id}`, vllm], { folder })).toMatchObject({ exitCode: 0 });
  });

  it("chooses one of several results that were appended, and takes NaN for no figure", async () => {
    const rows = [vllmFile(), vllmFile({ request_throughput: 3.8, label: "NaN stays a text" })].map((row) => JSON.stringify(row));
    writeFileSync(join(folder, "appended.json"), rows.join("\n").replace('"median_ttft_ms":100', '"median_ttft_ms":NaN'));
    const json = await runAssay(["compare", "appended.json#0", "appended.json#1", "--json"], { folder });
    const figures = compared(JSON.parse(json.stdout) as ToolComparison);
    expect(figures["ok-per-second rate"]).toEqual([7.6, 3.8]);
    expect(figures).not.toHaveProperty("first-event p50");
    expect((await runAssay(["compare", "appended.json", vllm], { folder })).stderr).toContain("holds 2 load tests: 0, 1");
  });

  it.each([
    ["cut.json", '{\n  "completed": 5,\n  "request_thr', "cut.json: it is no JSON: line 3"],
    ["words.txt", "no results today\n", "words.txt: it is no JSON: line 1"],
    ["mixed.json", '{"completed": 5}\n{"comple\n', 'mixed.json: it is no JSON: line 2 holds "{\\"comple"'],
    ["table.csv", "TIME,a\n1,2\n3,4\n", "table.csv: it is no JSON: line 1"],
    ["empty.json", "\n", "empty.json: it is no JSON: the file is empty"],
  ])("reports %s as no JSON, with its line", async (name, text, message) => {
    writeFileSync(join(folder, name), text);
    const { exitCode, stderr } = await runAssay(["compare", vllm, name], { folder });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it.each<[string[], RegExp]>([
    [["vllm.json", "guidellm.json"], /holds 2 load tests: 0, 1\nname one of them: guidellm\.json#0/],
    [["vllm.json", "guidellm.json#7"], /holds 2 load tests/],
    [["vllm.json", "guidellm.json#0", "--gate"], /no gate can be judged/],
    [["vllm.json", "guidellm.json#0", "--out", "x.html"], /--out writes comparisons of two runs/],
    [["vllm.json", "none.json"], /none\.json holds no result that is known/],
  ])("refuses %j", async (args, message) => {
    const ended = await runAssay(["compare", ...args], { folder });
    expect({ exitCode: ended.exitCode, message: ended.stderr }).toEqual({
      exitCode: 2,
      message: expect.stringMatching(message),
    });
  });

  it("ends with 3 where no figure means the same", async () => {
    write("k6.json", k6Export({ http_req_failed: { value: 0.5 } }));
    write("bare.json", { metrics: { http_reqs: { count: 1 } } });
    expect(await runAssay(["compare", "k6.json", "bare.json"], { folder })).toMatchObject({ exitCode: 3 });
  });
});
