import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import { startReferenceService } from "../../../src/index.ts";
import { executeRun } from "../../../src/run/execute-run.ts";
import { readRunRequest } from "../../../src/run/request/read-run-request.ts";
import { judgeRun } from "../../../src/run/record/judge-run.ts";
import { readRun } from "../../../src/run/record/read-run.ts";
import { shortProfile } from "../../make/load/run-against.ts";

const isWhole = process.env["ASSAY_TEST_ALL"] === "1";
const edits = isWhole ? 10_000 : 150;
const outDir = mkdtempSync(join(tmpdir(), "assay-edits-"));
const service = await startReferenceService({ seed: 3 });
const profile = shortProfile({ id: "short", durationSeconds: 0.5, workload: [{ endpoint: "models" }] });
const request = { manifest: service.manifest, stages: ["conformance", "load"], suites: ["models"], outDir } as const;
const { folder } = await executeRun(readRunRequest({ ...request, profiles: [{ profile, trace: null }] }));
await service.close();
afterAll(() => rmSync(outDir, { recursive: true }));

describe("a record that was changed", () => {
  /** The outcome of reading and judging it: an error that names the fault, or a verdict with the problems that were noticed. */
  async function judge(
    place: string,
  ): Promise<{ readonly error: string } | { readonly problems: readonly string[]; readonly exitCode: number }> {
    let saved;
    try {
      saved = await readRun(place);
    } catch (error) {
      return { error: (error as Error).message };
    }
    const { record, exchanges, load, problems } = saved;
    const invalidBecause = [...record.invalidBecause, ...problems];
    return { problems, exitCode: judgeRun({ ...record, invalidBecause }, exchanges, load).exitCode };
  }

  it("has nothing said against it as it was written", async () => {
    expect(await judge(folder)).toMatchObject({ problems: [] });
  });

  it("by any edit is an error or reported as changed, never green", async () => {
    const random = createRandom(isWhole ? Date.now() : 11);
    const files = ["evidence.ndjson", "run.json", "load.ndjson"];
    const originals = files.map((name) => readFileSync(join(folder, name)));
    const copy = join(outDir, "run");
    cpSync(folder, copy, { recursive: true });
    for (let edit = 0; edit < edits; edit += 1) {
      const which = random.integer(0, files.length - 1);
      const bytes = Buffer.from(originals[which]!);
      const at = random.integer(0, bytes.length - 1);
      const length = random.integer(1, Math.min(2000, bytes.length - at));
      const kind = random.integer(0, 4);
      const changed = [
        () => Buffer.concat([bytes.subarray(0, at)]),
        () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]),
        () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at)]),
        () => {
          bytes[at] = bytes[at]! ^ (1 << random.integer(0, 7));
          return bytes;
        },
        () => withoutLine(bytes, at),
      ][kind]!();
      if (changed.equals(originals[which]!)) continue;
      writeFileSync(join(copy, files[which]!), changed);
      const judged = await judge(copy);
      writeFileSync(join(copy, files[which]!), originals[which]!);
      if ("error" in judged) expect(judged.error).toMatch(/run\.json|\.ndjson/);
      else if (judged.exitCode === 0) expect({ kind, at, length, file: files[which], judged }).toBe("not green");
      else expect(judged.problems.length).toBeGreaterThan(0);
    }
    appendFileSync(join(copy, "evidence.ndjson"), "{}\n");
    expect(await judge(copy)).toHaveProperty("error");
  });

  it("with a member of its heads under another name, or of another form, is refused by name", async () => {
    const copy = join(outDir, "heads");
    cpSync(folder, copy, { recursive: true });
    const text = readFileSync(join(copy, "run.json"), "utf8");
    for (const [from, to] of [
      [/"load": \{\n {3}"lines"/, '"loae": {\n   "lines"'],
      [/"evidence": \{\n {3}"lines"/, '"evidence": {\n   "linez"'],
    ] as const) {
      const changed = text.replace(from, to);
      expect(changed).not.toBe(text);
      writeFileSync(join(copy, "run.json"), changed);
      expect(await judge(copy)).toEqual({ error: expect.stringMatching(/run\.json was recorded by another version .*\/heads/) });
    }
  });

  it("of a newer version is refused by its version", async () => {
    const copy = join(outDir, "newer");
    for (const [name, newer] of [
      ["run.json", "run.json was recorded by another version"],
      ["evidence.ndjson", 'evidence of version "2.0"'],
    ] as const) {
      cpSync(folder, copy, { recursive: true });
      const text = readFileSync(join(copy, name), "utf8");
      writeFileSync(join(copy, name), text.replace(/"schemaVersion": ?"1\.\d"/, '"schemaVersion":"2.0"'));
      expect(await judge(copy)).toEqual({ error: expect.stringContaining(newer) });
    }
    cpSync(folder, copy, { recursive: true });
    const ledger = readFileSync(join(copy, "load.ndjson"), "utf8");
    writeFileSync(join(copy, "load.ndjson"), ledger.replace('"schemaVersion":"1.0"', '"schemaVersion":"2.0"'));
    const judged = await judge(copy);
    expect(JSON.stringify(judged)).toContain("load.ndjson: line 1: it is of version 2.0");
    expect(judged).not.toMatchObject({ exitCode: 0 });
  });
});

function withoutLine(bytes: Buffer, at: number): Buffer {
  const end = bytes.indexOf(10, at);
  const start = bytes.lastIndexOf(10, at) + 1;
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end === -1 ? bytes.length : end + 1)]);
}
