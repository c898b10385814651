// Prints `N passed, N failed` from the closing lines of a vitest run; fails when no test was executed.
import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

const text = stripVTControlCharacters(readFileSync(process.argv[2], "utf8"));
const line = text.split("\n").findLast((each) => /^\s*Tests\s/.test(each)) ?? "";
const count = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
const [passed, failed, skipped] = [count("passed"), count("failed"), count("skipped")];
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = passed > 0 && failed === 0 ? 0 : 1;
