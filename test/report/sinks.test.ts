import { validate } from "ctrf";
import { describe, expect, it } from "vitest";
import type { Result } from "../../src/core/result/result.ts";
import type { Verdict } from "../../src/core/result/verdict.ts";
import { reporters } from "../../src/report/reporters/reporters.ts";
import { renderBadge } from "../../src/report/reporters/badge.ts";
import { renderCsv } from "../../src/report/reporters/csv.ts";
import { renderCtrf } from "../../src/report/reporters/ctrf.ts";
import { renderAnnotations, renderGithub } from "../../src/report/reporters/github.ts";
import { renderJson, renderNdjson } from "../../src/report/reporters/json.ts";
import { renderJunit } from "../../src/report/reporters/junit.ts";
import { renderMarkdown } from "../../src/report/reporters/markdown.ts";
import { renderPrometheus } from "../../src/report/reporters/prometheus.ts";
import { readXml, type XmlElement } from "./read-xml.ts";
import { olderResult } from "./older-result.ts";
import { buildSample } from "../make/sample-result/sample-result.ts";

const { result, evidence } = buildSample();
const clean = buildSample({ clean: true });

/** A run that met everything; its limit checks keep what is inconclusive among them. */
function metRun(first: Verdict = "pass"): Result {
  const { conformance, limits } = clean.result;
  const requirements = (conformance?.requirements ?? []).map((row) => ({
    ...row,
    level: "must" as const,
    verdict: "pass" as const,
  }));
  const policies = (limits?.policies ?? []).map((policy) => ({
    ...policy,
    checks: policy.checks.map((check) => (check.verdict === "fail" ? { ...check, verdict: "pass" as const } : check)),
  }));
  return {
    ...clean.result,
    conformance: conformance && {
      ...conformance,
      requirements: requirements.map((row, index) => (index === 0 ? { ...row, verdict: first } : row)),
    },
    limits: limits && { ...limits, policies },
    load: null,
  };
}

function casesOf(suite: XmlElement): readonly XmlElement[] {
  return suite.children.filter(({ name }) => name === "testcase");
}

function cases(xml: XmlElement): readonly XmlElement[] {
  return xml.children.flatMap(casesOf);
}

describe("junit", () => {
  const xml = readXml(renderJunit(result));

  it("counts what it holds", () => {
    const all = cases(xml);
    const holding = (name: string): number => all.filter((one) => one.children.some((child) => child.name === name)).length;
    expect(xml.attributes.get("tests")).toBe(String(all.length));
    expect(xml.attributes.get("failures")).toBe(String(holding("failure")));
    expect(xml.attributes.get("errors")).toBe(String(holding("error")));
    expect(xml.attributes.get("skipped")).toBe(String(holding("skipped")));
    for (const suite of xml.children) expect(suite.attributes.get("tests")).toBe(String(casesOf(suite).length));
  });

  it("gives every case a name of its own and its suite as classname", () => {
    const names = cases(xml).map((one) => `${one.attributes.get("classname") ?? ""}/${one.attributes.get("name") ?? ""}`);
    expect(new Set(names).size).toBe(names.length);
    for (const suite of xml.children) {
      for (const one of casesOf(suite)) expect(one.attributes.get("classname")).toBe(suite.attributes.get("name"));
    }
  });

  it("reports a failure with what was expected, seen and how to see it again", () => {
    const failed = cases(xml).find((one) => one.attributes.get("name")?.startsWith("CHAT-014"));
    expect(failed?.children[0]?.name).toBe("failure");
    expect(failed?.children[0]?.text).toContain("expected: 422 with error.code");
    expect(failed?.children[0]?.text).toContain("curl -sS -X POST");
  });

  it("carries the reason of a skip as attribute and text, and never reads untested as passed", () => {
    const skipped = cases(xml).find((one) => one.attributes.get("name")?.startsWith("SCO-003"))?.children[0];
    expect(skipped?.name).toBe("skipped");
    expect(skipped?.attributes.get("message")).toBe("untested: no-fixture: no key named readOnly in the manifest");
    expect(skipped?.text).toBe(skipped?.attributes.get("message"));
  });

  it("makes an error of what is inconclusive where the run has no verdict without it", () => {
    const errors = cases(xml).filter((one) => one.children[0]?.name === "error");
    expect(errors.map((one) => one.attributes.get("name")?.split(" ")[0])).toEqual([
      "USE-005",
      "chat-stream-steady.itl-p999",
      "load.chat-sweep.valid",
    ]);
  });

  it("skips a limit check without evidence, saying why", () => {
    const open = cases(xml).find((one) => one.attributes.get("name")?.startsWith("requests-models.limits.under-admission"));
    expect(open?.children[0]?.name).toBe("skipped");
    expect(open?.children[0]?.text).toMatch(/^inconclusive: ./);
  });

  it.each([
    ["a run that met everything", metRun(), false],
    ["a run with findings", result, true],
    ["an advisory in a strict run", { ...metRun("advisory"), strict: true, exitCode: 1 as const }, true],
    ["an advisory in another run", metRun("advisory"), false],
    ["a MUST without a verdict", { ...metRun("inconclusive"), exitCode: 3 as const }, true],
    ["an interrupted run", { ...metRun(), verdict: "interrupted" as const, exitCode: 130 as const }, true],
  ])("has a failure or an error exactly where the exit code is not 0: %s", (_name, run, expected) => {
    const holding = cases(readXml(renderJunit(run))).filter((one) => /^(?:failure|error)$/.test(one.children[0]?.name ?? ""));
    expect(holding.length > 0).toBe(expected);
  });

  it("has an error for a run that is not valid even when nothing failed", () => {
    const invalid = readXml(renderJunit({ ...clean.result, verdict: "invalid", exitCode: 3, reason: "the target fell silent" }));
    expect(
      cases(invalid).some((one) => one.children[0]?.name === "error" && one.children[0].text === "the target fell silent"),
    ).toBe(true);
  });
});

describe("ctrf", () => {
  it("is valid by the published schema of CTRF, which refuses what is wrong", () => {
    const report = JSON.parse(renderCtrf(result)) as { results: { tests: object[] } };
    expect(validate(report)).toMatchObject({ valid: true });
    expect(validate(JSON.parse(renderCtrf(clean.result)))).toMatchObject({ valid: true });
    report.results.tests.push({ name: "x", status: "broken", duration: 0 });
    expect(validate(report)).toMatchObject({ valid: false });
  });

  it("sums up", () => {
    const { summary, tests } = (
      JSON.parse(renderCtrf(result)) as {
        results: { summary: Record<string, number>; tests: { status: string; rawStatus: string }[] };
      }
    ).results;
    for (const status of ["passed", "failed", "skipped", "pending", "other"])
      expect(summary[status]).toBe(tests.filter((test) => test.status === status).length);
    expect(summary["tests"]).toBe(tests.length);
    expect(summary["failed"]).toBeGreaterThan(0);
    // A gate on failed tests must not read a run without a verdict as green.
    expect(tests.find((test) => test.rawStatus === "inconclusive")?.status).toBe("failed");
  });
});

describe("json and ndjson", () => {
  it("give the result back", () => {
    expect(JSON.parse(renderJson(result))).toEqual(JSON.parse(JSON.stringify(result)));
  });

  it("holds one document a line", () => {
    const lines = renderNdjson(result, evidence)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string });
    const count = (type: string): number => lines.filter((line) => line.type === type).length;
    expect(count("run")).toBe(1);
    expect(count("finding")).toBe(result.findings.length);
    expect(count("requirement")).toBe(result.conformance?.requirements.length);
    expect(count("exchange")).toBe(evidence.length);
  });
});

describe("github", () => {
  it("writes one command a finding and nothing else", () => {
    const lines = renderAnnotations(result).trimEnd().split("\n");
    expect(lines.filter((line) => line.startsWith("::error title="))).toHaveLength(6);
    expect(lines.filter((line) => line.startsWith("::warning title="))).toHaveLength(1);
    expect(lines).toHaveLength(7);
    expect(lines[0]).toBe(
      "::error title=F001 CHAT-014::temperature 2.1 is accepted with 200, although the specification ends the range at 2.%0Aexpected 422 with error.code and error.details naming temperature%0Aobserved 200 with a chat completion",
    );
  });

  it("says that a run was not valid", () => {
    expect(renderAnnotations({ ...clean.result, verdict: "invalid", reason: "nothing was judged" })).toBe(
      "::error title=assay%3A Invalid::nothing was judged\n",
    );
  });

  it("appends the summary to the file that the runner names", () => {
    const [annotations, summary] = renderGithub(result);
    expect(annotations?.path).toBe("-");
    expect(summary).toMatchObject({ path: "$GITHUB_STEP_SUMMARY", append: true });
    expect(Buffer.byteLength(summary?.text ?? "")).toBeLessThan(100_000);
  });
});

describe("markdown", () => {
  const text = renderMarkdown(result);

  it("begins with the verdict and its reason", () => {
    expect(text.split("\n").slice(0, 3)).toEqual([
      "## ✗ Failed: staging",
      "",
      "6 failures: 4 requirements are violated, limits.requests-models admitted 63 of 60, and one load gate is missed.",
    ]);
  });

  it("shows gates, findings, suites and a strip for each limit", () => {
    expect(text).toContain("| ✗ fail | `user-latency.p99 < 2500ms` | 2500 ms | 3120 ms | 2840 ms to 3660 ms | −24.8 % |");
    expect(text).toContain("| limits | ✗ non-conformant | 19 | 2 | 0 | 0 |");
    expect(text).toContain("`chat-stream-steady` not sent: 9 Retry-After obeyed, 3 maxInFlight reached\n");
    expect(renderMarkdown(olderResult(result))).not.toContain("not sent");
    expect(text).toMatch(/\n[#x%!.]{60}\n\+5 s +\+2\d\d s\n/);
  });
});

describe("csv and prometheus", () => {
  it("csv: one figure a row, too few samples empty", () => {
    const rows = renderCsv(result).trimEnd().split("\r\n");
    expect(rows[0]).toBe("run,profile,metric,endpoint,outcome,phase,statistic,value,low,high,unit,samples");
    expect(rows.find((row) => row.includes(",chat-stream-steady,not-sent max-in-flight,"))).toContain(",count,3,");
    expect(rows.filter((row) => row.includes(",ttft,chat,ok,whole,p99,"))).toHaveLength(1);
    expect(rows.find((row) => row.includes(",ttft,chat,ok,whole,p99.9,"))).toMatch(/,p99\.9,,[\d.]+,,ms,1172$/);
    expect(new Set(rows.map((row) => row.split(",").length))).toEqual(new Set([12]));
  });

  it("prometheus: every sample belongs to a declared family", () => {
    const lines = renderPrometheus(result).trimEnd().split("\n");
    const declared = new Set(lines.filter((line) => line.startsWith("# TYPE ")).map((line) => line.split(" ")[2]));
    for (const line of lines.filter((line) => !line.startsWith("#"))) {
      expect(line).toMatch(/^[a-z_]+\{(?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)*\} -?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/);
      expect(declared.has(line.split("{")[0])).toBe(true);
    }
    expect(lines).toContain('assay_run_exit_code{target="staging",verdict="failed"} 1');
    expect(lines).toContain('assay_requests_not_sent{target="staging",profile="chat-stream-steady",reason="retry-after"} 9');
    expect(
      lines.some(
        (line) =>
          line.startsWith('assay_latency_seconds{target="staging",profile="chat-stream-steady",metric="ttft"') &&
          line.includes('quantile="0.99"'),
      ),
    ).toBe(true);
    expect(lines.some((line) => line.includes('metric="ttft"') && line.includes('quantile="0.999"'))).toBe(false);
  });
});

describe("badge", () => {
  it("reports the conformance verdict", () => {
    expect(JSON.parse(renderBadge(result))).toEqual({
      schemaVersion: 1,
      label: "inference API",
      message: "non-conformant",
      color: "red",
    });
    expect(JSON.parse(renderBadge({ ...clean.result, conformance: null }))).toMatchObject({ message: "passed" });
    expect(JSON.parse(renderBadge({ ...clean.result, verdict: "interrupted" }))).toMatchObject({ message: "not judged" });
  });
});

it("names every reporter as its key", () => {
  for (const [name, reporter] of Object.entries(reporters)) expect(reporter.name).toBe(name);
});
