import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { visibleJson } from "../../../src/core/exchange/bodies/visible-json.ts";
import type { RunRecord } from "../../../src/run/record/run-record.ts";
import { sealRecord } from "../../../src/run/record/seal-record.ts";
import { runAssay, runFolder } from "../run-assay.ts";

describe("assay report of a run whose reports were edited", async () => {
  const { folder: from } = await runAssay(["check", "--suite", "models"]);
  const folder = runFolder(from);
  const page = join(folder, "report.html");
  const report = () => runAssay(["report", folder]);

  it.each(["report.html", "junit.xml", "result.json"])("ends with 1 and says so above the verdict: %s", async (name) => {
    const file = join(folder, name);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(/assay/, "essay"));
    const edited = await report();
    expect([edited.exitCode, edited.stderr]).toEqual([1, expect.stringContaining(`${name} was not what the record`)]);
    const said = readFileSync(page, "utf8").indexOf(`Changed after the run: ${name}. `);
    expect(said).toBeGreaterThan(0);
    expect(said).toBeLessThan(readFileSync(page, "utf8").indexOf('id="verdict"'));
    // By now all is as the record gives it, but for that sentence, which goes.
    expect(await report()).toMatchObject({ exitCode: 0, stderr: "" });
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(readFileSync(page, "utf8")).not.toContain("Changed after the run");
  });

  it("takes no other words for that sentence", async () => {
    const text = readFileSync(page, "utf8");
    writeFileSync(
      page,
      text.replace("<main>", '<main><p class="note" role="status">Changed after the run: Nothing. It is fine.</p>'),
    );
    expect((await report()).exitCode).toBe(1);
    await report();
  });

  it("is no finding where another version of assay wrote them", async () => {
    const record = join(folder, "run.json");
    const text = readFileSync(record, "utf8");
    const { seal: _seal, ...rest } = JSON.parse(text) as RunRecord;
    const older = sealRecord({ ...rest, tool: { ...rest.tool, version: "0.0.1" } });
    writeFileSync(record, `${visibleJson(older, 1)}\n`);
    const { exitCode, stderr } = await report();
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("or another version of assay wrote it")]);
    expect(readFileSync(page, "utf8")).not.toContain("Changed after the run");
  });
});
