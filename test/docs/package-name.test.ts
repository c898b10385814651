import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { initialManifest } from "../../src/config/initial-manifest.ts";
import { readPackage } from "../../src/schemas/read-package.ts";

const root = resolve(import.meta.dirname, "../..");
const { name, version } = readPackage();

/** Forms that make npm, a runtime or an editor look for a package of the name `assay`, which is not ours. */
const unscoped: readonly RegExp[] = [
  /\b(?:npm|pnpm|yarn|bun)\s+(?:i|install|add|exec|x|dlx)\b[^\n]*\sassay(?:@|\s|$|`)/,
  /\bnpx\s+(?:[^\n]*\s)?(?:-y|--yes)\s+assay\b/,
  /(?:--package|-p)[= ]["']?assay(?:@|\s|["']|$)/,
  /["']assay["']\s*:\s*["'][\^~]?\d/,
  /(?:from|import\(|require\()\s*["']assay(?:\/\w+)?["']/,
  /node_modules\/assay\b/,
  /\bassay@\d/,
];

function findUnscoped(text: string): readonly string[] {
  return text.split("\n").filter((line) => unscoped.some((form) => form.test(line.replaceAll(name, "@ours"))));
}

describe("the name of the package", () => {
  it("is scoped, and its command is assay", () => {
    expect(name).toMatch(/^@[a-z-]+\/assay$/);
    const { bin, publishConfig } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect([Object.keys(bin), publishConfig]).toEqual([["assay"], { access: "public" }]);
  });

  it("is the only one that any file installs or imports", () => {
    const files = execFileSync(
      "git",
      ["ls-files", "*.md", "*.json", "*.js", "*.mjs", "*.ts", "*.yaml", "*.yml", "*.sh", "*Dockerfile*"],
      {
        cwd: root,
        encoding: "utf8",
      },
    );
    const own = "test/docs/package-name.test.ts";
    const found = files
      .split("\n")
      .filter((file) => file !== "" && file !== own && !file.endsWith("package-lock.json") && !file.startsWith("test/"))
      .flatMap((file) => findUnscoped(readFileSync(join(root, file), "utf8")).map((line) => `${file}: ${line.trim()}`));
    expect(found).toEqual([]);
    expect(initialManifest("http://127.0.0.1:1")).toContain(`node_modules/${name}/dist/schemas/config.schema.json`);
  });

  it.each(["vitest", "node-test"])("stands in the example for %s with the version of this package", (example) => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, "examples", example, "package.json"), "utf8"));
    expect(devDependencies[name]).toBe(`^${version}`);
  });

  it.each([
    "npm install --save-dev assay",
    "npx --yes assay check",
    "npx --yes --package=assay -- assay check",
    '    "assay": "^0.1.0",',
    'import { run } from "assay";',
    "# $schema=./node_modules/assay/dist/schemas/config.schema.json",
    "description: What npm installs, such as assay@0.1.0",
  ])("would be missed in %j", (line) => expect(findUnscoped(line)).toEqual([line]));
});
