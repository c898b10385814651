import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Result } from "../../src/core/result/result.ts";
import { runAssay, runFolder } from "../cli/run-assay.ts";

/** A server that we did not write: verdicts on it are known, reviewed by hand, and may only change on purpose. */
describe("aimock", () => {
  const mock = new LLMock({ port: 0, logLevel: "silent" });
  let result: Result;
  let exitCode: number | null;

  beforeAll(async () => {
    mock.onMessage(/.*/, { content: "The quick brown fox jumps over the lazy dog." });
    mock.onEmbedding(/.*/, { embedding: [0.1, 0.2, 0.3, 0.4] });
    await mock.start();
    const ended = await runAssay(["check", "--base-url", mock.url], { env: { ASSAY_API_KEY: "sk-test-key" } });
    exitCode = ended.exitCode;
    result = JSON.parse(readFileSync(join(runFolder(ended.folder), "result.json"), "utf8")) as Result;
  });
  afterAll(() => mock.stop());

  it("is judged non-conformant, without a fault of ours", () => {
    expect({ exitCode, verdict: result.verdict }).toEqual({ exitCode: 1, verdict: "failed" });
  });

  it("gets exactly the verdicts that were reviewed", async () => {
    const lines = (result.conformance?.requirements ?? [])
      .filter((requirement) => ["fail", "advisory", "inconclusive"].includes(requirement.verdict))
      .map((requirement) => `${requirement.id} ${requirement.level} ${requirement.verdict}`);
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("aimock.verdicts.txt");
  });

  it("says of each violated MUST what was expected and what came", () => {
    // The overlay of the convention never fails a run: what it sees is advisory.
    const violated = (result.conformance?.requirements ?? [])
      .filter(({ suite, verdict }) => suite !== "convention" && verdict === "fail")
      .map(({ id }) => id);
    const failing = result.findings.filter((finding) => finding.verdict === "fail");
    expect(violated.length).toBeGreaterThan(20);
    // One defect is one finding, however many requirements it violates; none of them is left out.
    const named = new Set(failing.flatMap(({ requirement, also }) => [requirement, ...also]));
    expect(violated.filter((id) => !named.has(id))).toEqual([]);
    expect(
      failing.filter((finding) => finding.expected === "" || finding.observed === "" || finding.exchanges.length === 0),
    ).toEqual([]);
  });
});
