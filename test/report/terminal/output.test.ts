import { describe, expect, it, vi } from "vitest";
import fc from "fast-check";
import { output, boundLines } from "../../../src/report/terminal/output.ts";
import { runAssay, folderWith } from "../../cli/run-assay.ts";

// oxlint-disable-next-line no-control-regex -- the characters that a terminal acts on
const acting = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/u;

describe("a message that is bounded", () => {
  it("has 20 lines and 4 kB at most, and counts each line that it leaves out", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 900 }), { minLength: 1, maxLength: 60 }), (lines) => {
        const text = lines.map((line) => line.replaceAll("\n", " ")).join("\n");
        const shown = boundLines(text).split("\n");
        expect(shown.length).toBeLessThanOrEqual(20);
        expect(boundLines(text).length).toBeLessThanOrEqual(4000);
        const left = Number(/^\((\d+) more lines? left out\)$/.exec(shown.at(-1) ?? "")?.[1] ?? 0);
        expect(left === 0 ? shown.length : shown.length - 1 + left).toBe(lines.length);
      }),
    );
  });

  it("is whole where it is short", () => {
    const text = Array.from({ length: 20 }, (_, line) => `line ${line}`).join("\n");
    expect(boundLines(text)).toBe(text);
  });
});

describe("what is printed", () => {
  it("holds no character that a terminal acts on, but for line feeds and tabs", () => {
    const written: string[] = [];
    const spies = (["stdout", "stderr"] as const).map((name) =>
      vi.spyOn(process[name], "write").mockImplementation((text) => written.push(String(text)) > 0),
    );
    try {
      fc.assert(
        fc.property(fc.string({ unit: "binary" }), (text) => {
          for (const print of [output.say, output.refuse, output.print, output.printJson]) print(`${text}\u001b[2J\u202e\u0007`);
        }),
        { numRuns: 40 },
      );
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    expect(written).toHaveLength(160);
    expect(written.filter((text) => acting.test(text))).toEqual([]);
  });
});

describe("names that act in a terminal", () => {
  const bad = "a\u001b[2J\u202eb\u0007";
  const manifest = {
    target: { baseUrl: "http://127.0.0.1:9", name: bad, tls: { caFile: `./${bad}.pem` } },
    keys: { primary: "${ASSAY_API_KEY}" },
  };

  it.each([
    ["--profile", ["load", "--demo", "--profile", bad]],
    ["--reporter", ["check", "--demo", "--reporter", bad]],
    ["--suite", ["check", "--demo", "--suite", bad]],
    ["an option", ["check", `--${bad}`]],
    ["a command", [bad]],
    ["list", ["list", bad]],
    ["explain", ["explain", bad]],
    ["compare", ["compare", bad, `${bad}2`]],
    ["replay", ["replay", bad, "1"]],
    ["report", ["report", bad]],
    ["verify", ["verify", bad, "--trust", bad]],
    ["challenge", ["challenge", "--policy", bad]],
    ["certify", ["certify", bad, "--key", bad]],
    ["--config", ["check", "--config", bad]],
    ["--base-url", ["check", "--base-url", `http://${bad}`]],
    ["--redis", ["agent", "--redis", `redis://${bad}`, "--base-url", "http://127.0.0.1:9"]],
    ["a manifest", ["check"]],
    ["a manifest, for doctor", ["doctor"]],
  ])("are shown, not acted on: %s", async (_, args) => {
    const folder = folderWith(args.length === 1 && args[0] !== bad ? { "assay.config.yaml": manifest } : {});
    const { exitCode, stdout, stderr } = await runAssay(args, { folder, env: { ASSAY_API_KEY: "sk-canary-0123456789" } });
    expect(exitCode).toBe(2);
    expect(stderr.length).toBeGreaterThan(10);
    expect(acting.test(stdout + stderr)).toBe(false);
  });

  it("are cut where they are long", async () => {
    const { exitCode, stderr } = await runAssay(["check", `--${"x".repeat(100_000)}`]);
    expect([exitCode, stderr.length < 4100]).toEqual([2, true]);
    const listed = await runAssay(["list", "y".repeat(100_000)]);
    expect([listed.exitCode, listed.stderr.length < 4100]).toEqual([2, true]);
  });
});
