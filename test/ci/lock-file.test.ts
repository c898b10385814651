import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

interface LockEntry {
  readonly integrity?: string;
  readonly link?: boolean;
}

it("the lock file holds the digest of every package, those of other platforms included", () => {
  const text = readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8");
  const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, LockEntry>> };
  const installed = Object.entries(packages).filter(([path, { link }]) => path !== "" && link !== true);
  expect(installed.length).toBeGreaterThan(300);
  expect(installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? "")).map(([path]) => path)).toEqual(
    [],
  );
});
