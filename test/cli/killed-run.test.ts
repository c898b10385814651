import { appendFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { killOnce } from "../../bench/kills/kill-once.ts";
import { killedStages } from "../../bench/kills/killed-stages.ts";
import { createRandom } from "../../src/core/random.ts";
import { judgeRun } from "../../src/run/record/judge-run.ts";
import { readRun } from "../../src/run/record/read-run.ts";
import { emptyFolder, spawnAssay, runFolder } from "./run-assay.ts";

const isWhole = process.env["ASSAY_TEST_ALL"] === "1";
const kills = isWhole ? 10 : 1;
const edits = isWhole ? 10_000 : 150;

describe("a run that was killed", () => {
  // By chance over the whole length of each, a hundred times: npm run bench:sigkill.
  it.each(killedStages.filter(({ target }) => target === "embedded" || isWhole))(
    "in $id is judged as far as it was recorded, and called partial",
    async (stage) => {
      const random = createRandom(7).fork(stage.id);
      for (let kill = 0; kill < kills; kill += 1) {
        const { broken } = await killOnce(stage, { since: "record", ms: 1500 * random.next() }, kill);
        expect(broken).toEqual([]);
      }
    },
    300_000,
  );
});

describe("a record that was changed", () => {
  let folder = "";
  beforeAll(async () => {
    const ended = await spawnAssay(["check", "--suite", "models", "--seed", "3"]);
    folder = runFolder(ended.folder);
  }, 60_000);

  /** What reading and judging it comes to: an error that names what is wrong, or a verdict with what was noticed. */
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

  it("is green as it was written", async () => {
    expect(await judge(folder)).toEqual({ problems: [], exitCode: 0 });
  });

  it("by any edit is an error or told as changed, never green", async () => {
    const random = createRandom(isWhole ? Date.now() : 11);
    const files = ["evidence.ndjson", "run.json"];
    const originals = files.map((name) => readFileSync(join(folder, name)));
    const copy = join(emptyFolder(), "run");
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
      if ("error" in judged) expect(judged.error).toMatch(/run\.json|evidence\.ndjson/);
      else if (judged.exitCode === 0) expect({ kind, at, length, file: files[which], judged }).toBe("not green");
      else expect(judged.problems.length).toBeGreaterThan(0);
    }
    appendFileSync(join(copy, "evidence.ndjson"), "{}\n");
    expect(await judge(copy)).toHaveProperty("error");
  });

  it("of a newer version is refused by its version", async () => {
    const copy = join(emptyFolder(), "run");
    for (const [name, newer] of [
      ["run.json", "run.json was recorded by another version"],
      ["evidence.ndjson", 'evidence of version "2.0"'],
    ] as const) {
      cpSync(folder, copy, { recursive: true });
      const text = readFileSync(join(copy, name), "utf8");
      writeFileSync(join(copy, name), text.replace(/"schemaVersion": ?"1\.\d"/, '"schemaVersion":"2.0"'));
      expect(await judge(copy)).toEqual({ error: expect.stringContaining(newer) });
    }
  });
});

function withoutLine(bytes: Buffer, at: number): Buffer {
  const end = bytes.indexOf(10, at);
  const start = bytes.lastIndexOf(10, at) + 1;
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end === -1 ? bytes.length : end + 1)]);
}
