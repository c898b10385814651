import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import config from "../../../vitest.config.ts";

/** Bounds of tests end those that hang. The slowest machine on which tests ran took forty times as long as a calm one. */
const [leastTestMs, leastPollMs, leastElapsedMs] = [1_800_000, 600_000, 20_000];

const files = readdirSync("test", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".test.ts"));
const numberOf = (text: string): number => Number(text.replaceAll("_", ""));

/** Bounds in a text that are shorter than what only a hang reaches, each with the line that states it. */
function shortBounds(text: string): readonly string[] {
  const lines = text.split("\n");
  const found: string[] = [];
  lines.forEach((line, at) => {
    const own = /^(\s*)\}, ([\d_]+)\);$/.exec(line);
    if (own !== null) {
      const indent = own[1] ?? "";
      const opener = lines.slice(0, at).findLast((one) => one.startsWith(indent) && /\S/.test(one.charAt(indent.length)));
      if (/^\s*(it|test|beforeAll|beforeEach|afterAll|afterEach)\b/.test(opener ?? "") && numberOf(own[2] ?? "") < leastTestMs)
        found.push(line);
    }
    const poll = /expect\.poll\(.*timeout: ([\d_]+)/.exec(line);
    if (poll !== null && numberOf(poll[1] ?? "") < leastPollMs) found.push(line);
    const elapsed = /expect\((?:performance|Date)\.now\(\) - \w+\)\.toBeLess\w+\(([\d_]+)\)/.exec(line);
    if (elapsed !== null && numberOf(elapsed[1] ?? "") < leastElapsedMs) found.push(line);
  });
  return found.map((line) => line.trim());
}

it("no test has a bound of time that a busy machine reaches", () => {
  const short = files.flatMap((name) => shortBounds(readFileSync(join("test", name), "utf8")).map((line) => `${name}: ${line}`));
  expect(short).toEqual([]);
  const { testTimeout, hookTimeout, expect: waits } = config.test ?? {};
  expect(testTimeout).toBeGreaterThanOrEqual(leastTestMs);
  expect(hookTimeout).toBeGreaterThanOrEqual(leastTestMs);
  expect(waits?.poll?.timeout).toBeGreaterThanOrEqual(leastPollMs);
});

it("bounds are found where tests state them", () => {
  const bound = (ms: string): string => `it("x", async () => {\n  setTimeout(() => {\n    go();\n  }, 10);\n}, ${ms});\n`;
  expect(shortBounds(bound("120_000"))).toEqual(["}, 120_000);"]);
  expect(shortBounds(bound("6_000_000"))).toEqual([]);
  const poll = (ms: string): string => `await expect.poll(() => n, { timeout: ${ms} }).toBe(0);`;
  expect([poll("3000"), poll("600_000")].map((line) => shortBounds(line).length)).toEqual([1, 0]);
  const elapsed = (ms: string): string => `expect(Date.now() - before).toBeLessThan(${ms});`;
  expect([elapsed("500"), elapsed("60_000")].map((line) => shortBounds(line).length)).toEqual([1, 0]);
});
