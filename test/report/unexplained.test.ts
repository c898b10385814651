import { describe, expect, it } from "vitest";
import { renderGithub } from "../../src/report/reporters/github.ts";
import { createScreen } from "../../src/report/terminal/screen.ts";
import { renderSummary } from "../../src/report/terminal/summary.ts";
import { examine, simulatedManifest } from "../limits/simulation/exam.ts";
import { faultyLimiters } from "../limits/simulation/faulty-limiters.ts";
import { serveRequests } from "../limits/simulation/request-service.ts";
import { buildSample } from "../make/sample-result/sample-result.ts";

describe("a limiter that no algorithm explains", () => {
  it("stands in the terminal and on GitHub with what refutes the nearest one", async () => {
    const limiter = faultyLimiters.find(({ id }) => id === "slow-refill")!;
    const service = serveRequests(limiter.create(60, 60_000));
    const { result: limits, findings } = await examine({ seed: 3, service, manifest: simulatedManifest(60), exam: "full" });
    const [policy] = limits.policies;
    expect([policy?.tier, policy?.verdict]).toEqual(["unexplained", "advisory"]);
    const { nearest, refuted } = policy!.identification!;
    const because = refuted.find(({ family }) => family === nearest)?.because ?? refuted[0]!.because;
    const result = { ...buildSample().result, limits, findings };
    const screen = createScreen({ stream: { isTTY: false, columns: 4000, write: () => true }, env: {} });
    const [annotations] = renderGithub(result);
    expect(renderSummary(result, screen)).toMatch(/UNEXPLAINED requests\//);
    expect(renderSummary(result, screen)).toContain(because);
    expect(annotations!.text).toMatch(/^::warning [^\n]*UNEXPLAINED/m);
    expect(annotations!.text).toContain(because.replaceAll("%", "%25"));
  });
});
