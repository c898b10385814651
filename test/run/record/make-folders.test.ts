import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolders } from "../../../src/run/record/make-folders.ts";

describe("makeFolders", () => {
  it("makes a folder with those above it, and takes one that is there", () => {
    const root = mkdtempSync(join(tmpdir(), "assay-folders-"));
    const folder = join(root, "a", "b", "c");
    makeFolders(folder);
    makeFolders(folder);
    expect(existsSync(folder)).toBe(true);
    rmSync(root, { recursive: true });
  });

  it("returns with an error where none can be made", () => {
    expect(() => makeFolders("/proc/assay/reports")).toThrow(/mkdir/);
  });
});
