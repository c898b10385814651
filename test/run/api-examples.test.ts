import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startReferenceService } from "../../src/index.ts";
import { engineFlags } from "../make/runner/engine-flags.ts";
import { readPackage } from "../../src/schemas/read-package.ts";

const root = resolve(import.meta.dirname, "../..");
const packageName = readPackage().name;

interface Example {
  readonly title: string;
  readonly code: string;
  /** Lines after `// prints:` at its end. */
  readonly prints: string;
}

function readExamples(): readonly Example[] {
  const text = readFileSync(join(root, "docs/api.md"), "utf8");
  return text.split("\n## ").flatMap((section) => {
    const title = section.slice(0, section.indexOf("\n"));
    return [...section.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = ""]) => ({
      title,
      code,
      prints: /\/\/ prints: (.*)\n$/.exec(code)?.[1] ?? "nothing is said of its output",
    }));
  });
}

/** A folder in which the name of the package resolves to the built package, as after an installation. */
function projectFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "assay-example-"));
  const installed = join(folder, "node_modules", packageName);
  mkdirSync(dirname(installed), { recursive: true });
  symlinkSync(root, installed);
  return folder;
}

/** Imports one example after the other, so that the package is loaded once, and reports what each of them printed. */
const runner = `
const printed = [];
console.log = (...values) => printed.at(-1).push(values.join(" "));
for (const name of process.argv.slice(2)) {
  printed.push([]);
  await import(\`./\${name}\`);
}
process.stdout.write(JSON.stringify(printed));
`;

describe("the examples of docs/api.md", async () => {
  const service = await startReferenceService({ seed: 5 });
  const examples = readExamples();
  let [printed, complaints]: [readonly (readonly string[])[], string] = [[], "nothing was run"];

  beforeAll(async () => {
    const folder = projectFolder();
    const names = examples.map(({ code }, index) => {
      const name = `example-${index}.mjs`;
      writeFileSync(join(folder, name), code);
      return name;
    });
    writeFileSync(join(folder, "run-all.mjs"), runner);
    const secret = service.manifest.keys["primary"]!.secret;
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...engineFlags, "run-all.mjs", ...names], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, TARGET_URL: service.url, ASSAY_API_KEY: secret },
    });
    [printed, complaints] = [JSON.parse(stdout) as readonly (readonly string[])[], stderr];
  });
  afterAll(() => service.close());

  it("are found, and none of them complains", () => {
    expect(examples.length).toBeGreaterThan(7);
    expect(complaints).toBe("");
  });

  it.each(examples.map(({ title, prints }, index) => ({ title, prints, index })))("$title", ({ prints, index }) => {
    expect(printed[index]).toEqual([prints]);
  });
});
