/** The part of vitest that the tests of judges use, for the runner that keeps them loaded. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from "@vitest/expect";

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

let folder = "";
let collected = [];

/** The tests that a file declares while it is loaded. */
export async function collectTests(load) {
  collected = [];
  folder = "";
  await load();
  return collected;
}

export function describe(name, declare) {
  const outer = folder;
  folder = `${outer}${name} > `;
  declare();
  folder = outer;
}

export function it(name, run) {
  collected.push({ name: `${folder}${name}`, run });
}

it.each = (rows) => (name, run) => {
  // As vitest does: rows are spread where all of them are lists.
  const areLists = rows.every((row) => Array.isArray(row));
  for (const [index, row] of rows.entries()) {
    const values = areLists ? row : [row];
    it(`${name} (${index}: ${String(values[0])})`, () => run(...values));
  }
};

export function expect(value, message) {
  return chai.expect(value, message);
}

Object.assign(expect, chai.expect);

/** Never writes: a file that differs or is missing fails. */
chai.Assertion.addMethod("toMatchFileSnapshot", function matchFile(file) {
  const text = readFileSync(file instanceof URL ? fileURLToPath(file) : file, "utf8");
  if (text !== this._obj) throw new Error(`differs from ${file}`);
});
