import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { startReferenceService } from "../../src/index.ts";

const root = resolve(import.meta.dirname, "../..");

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

/** A folder in which `assay` resolves to the built package, as after an installation. */
function projectFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "assay-example-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/assay"));
  return folder;
}

describe("the examples of docs/api.md", async () => {
  const service = await startReferenceService({ seed: 5 });
  afterAll(() => service.close());

  const examples = readExamples();
  it("are found", () => expect(examples.length).toBeGreaterThan(7));

  it.each(examples)(
    "$title",
    async ({ code, prints }) => {
      const folder = projectFolder();
      writeFileSync(join(folder, "example.mjs"), code);
      const secret = service.manifest.keys["primary"]!.secret;
      const { stdout, stderr } = await promisify(execFile)(process.execPath, ["example.mjs"], {
        cwd: folder,
        env: { PATH: process.env["PATH"], HOME: folder, TARGET_URL: service.url, ASSAY_API_KEY: secret },
      });
      expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: prints, stderr: "" });
    },
    240_000,
  );
});
