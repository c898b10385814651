// Prints `N passed, N failed` from the closing lines of vitest runs, added up; fails when one of them executed no test.
import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

const lines = process.argv.slice(2).map((file) => {
  const text = stripVTControlCharacters(readFileSync(file, "utf8"));
  return text.split("\n").findLast((each) => /^\s*Tests\s/.test(each)) ?? "";
});
const count = (word) => lines.map((line) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0));
const sum = (counts) => counts.reduce((total, each) => total + each, 0);
const [passed, failed, skipped] = [count("passed"), count("failed"), count("skipped")];
console.log(`${sum(passed)} passed, ${sum(failed)} failed${sum(skipped) > 0 ? `, ${sum(skipped)} skipped` : ""}`);
process.exitCode = passed.length > 0 && passed.every((each) => each > 0) && sum(failed) === 0 ? 0 : 1;
