import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { visibleJson } from "../../../src/core/exchange/bodies/visible-json.ts";
import type { RunRecord } from "../../../src/run/record/run-record.ts";
import { sealRecord } from "../../../src/run/record/seal-record.ts";
import { unfinishedFile } from "../../../src/run/record/unfinished-file.ts";
import { makeKeys } from "../../features/certify/sample-bundle.ts";
import { runAssay, runFolder } from "../run-assay.ts";

/** The part of the page above all sections. */
const headOf = (page: string): string => page.slice(0, page.indexOf("<section"));

describe("a run whose record was edited", async () => {
  const { folder: from } = await runAssay(["check", "--suite", "models"]);
  const copy = `${from}/copy`;
  const load = ["load", "--demo", "--rate", "20", "--duration", "1s"];
  const { folder: loaded } = await runAssay(load, { demo: false });

  it.each([
    ["run.json", /"seed": \d+/, '"seed": 77', from],
    ["evidence.ndjson", /"status":200/, '"status":201', from],
    [
      "load.ndjson",
      /"count":\d+|:\[\d+/,
      (found: string) => found.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
      loaded,
    ],
  ])("ends with 1 in report and certify, and the page says so above all figures: %s", async (name, part, other, run) => {
    rmSync(copy, { recursive: true, force: true });
    cpSync(runFolder(run), copy, { recursive: true });
    const file = join(copy, name);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(part, other as string));
    expect(readFileSync(file, "utf8")).not.toBe(text);
    const edited = await runAssay(["report", copy]);
    expect([edited.exitCode, edited.stderr]).toEqual([1, expect.stringContaining(name)]);
    expect(edited.stdout).toMatch(/INVALID, EDITED AFTER THE RUN {2}exit 1 /);
    expect(headOf(readFileSync(join(copy, "report.html"), "utf8"))).toMatch(new RegExp(`${name}.{0,80} (?:changed|digest)`));
    const pem = makeKeys("ed25519").privatePem;
    const signed = await runAssay(["certify", copy, "--key", "env:KEY", "--out", `${from}/edited.tar`], { env: { KEY: pem } });
    expect([signed.exitCode, signed.stderr]).toEqual([1, expect.stringContaining("what was changed is not signed")]);
  });

  it("differs from one that was killed, which ends with 3", async () => {
    rmSync(copy, { recursive: true, force: true });
    cpSync(runFolder(from), copy, { recursive: true });
    renameSync(join(copy, "run.json"), join(copy, unfinishedFile));
    const evidence = join(copy, "evidence.ndjson");
    writeFileSync(evidence, readFileSync(evidence, "utf8").trimEnd().slice(0, -200));
    const killed = await runAssay(["report", copy]);
    expect([killed.exitCode, killed.stderr]).toEqual([3, expect.stringContaining("partial: the run was ended from outside")]);
    const pem = makeKeys("ed25519").privatePem;
    const signed = await runAssay(["certify", copy, "--key", "env:KEY", "--out", `${from}/killed.tar`], { env: { KEY: pem } });
    expect([signed.exitCode, signed.stderr]).toEqual([3, expect.stringContaining("a part of a run is not signed: ")]);
  });
});

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
