import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { followLatest, pointToLatest } from "../../../src/run/record/latest-run.ts";

const first = "2026-11-21T08-00-00Z";
const second = "2026-11-21T08-00-00Z-2";

function runs(...ids: readonly string[]): string {
  const out = mkdtempSync(join(tmpdir(), "assay-latest-"));
  for (const id of ids) mkdirSync(join(out, id));
  return out;
}

it("names the last run, by a link that survives a move of the folder", () => {
  const out = runs(first, second);
  expect([pointToLatest(out, first), pointToLatest(out, second)]).toEqual([null, null]);
  expect(readlinkSync(join(out, "latest"))).toBe(second);
  expect(realpathSync(join(out, "latest"))).toBe(realpathSync(join(out, second)));
  expect(followLatest(join(out, "latest"))).toBe(join(out, second));
});

it("reads and replaces the file that stands in where links cannot be made", () => {
  const out = runs(first, second);
  writeFileSync(join(out, "latest"), `${first}\n`);
  expect(followLatest(join(out, "latest"))).toBe(join(out, first));
  expect(pointToLatest(out, second)).toBeNull();
  expect(followLatest(join(out, "latest"))).toBe(join(out, second));
});

it("neither follows nor replaces what somebody else has put there", () => {
  const elsewhere = runs(first);
  for (const target of [elsewhere, "../..", join(elsewhere, first), `../${first}`, "."]) {
    const out = runs(second);
    symlinkSync(target, join(out, "latest"));
    expect(pointToLatest(out, second)).toMatch(/is not a name of a run, so it was left as it is$/);
    expect([readlinkSync(join(out, "latest")), followLatest(join(out, "latest"))]).toEqual([target, null]);
  }
  const out = runs(second);
  writeFileSync(join(out, "latest"), "notes of mine");
  expect(pointToLatest(out, second)).not.toBeNull();
  expect([readFileSync(join(out, "latest"), "utf8"), followLatest(join(out, "latest"))]).toEqual(["notes of mine", null]);
});

it("leaves a folder of that name alone, which may be a run", () => {
  const out = runs(second, "latest");
  expect(pointToLatest(out, second)).not.toBeNull();
  expect(lstatSync(join(out, "latest")).isDirectory()).toBe(true);
  expect(followLatest(join(out, "latest"))).toBe(join(out, "latest"));
});

it("takes other paths for what they say", () => {
  expect(followLatest("reports/x")).toBe("reports/x");
  expect(followLatest("nowhere/latest")).toBe("nowhere/latest");
});
