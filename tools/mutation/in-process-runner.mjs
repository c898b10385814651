/**
 * A test runner for Stryker that loads the tests of judges once and runs them in its own process. Judges are pure functions
 * over records, so nothing has to be reset between two mutants; starting a test worker for each of thousands of mutants costs
 * ten times what the tests themselves take. It knows what these tests use of vitest: `describe`, `it`, `it.each`, and `expect`
 * of @vitest/expect itself. The same files run under vitest in CI.
 */
import { readdirSync } from "node:fs";
import { register } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { register as registerTypeScript } from "tsx/esm/api";

const shim = new URL("in-process-vitest.mjs", import.meta.url).href;
const redirect = `export async function resolve(specifier, context, next) {
  return specifier === "vitest" ? { url: ${JSON.stringify(shim)}, shortCircuit: true } : next(specifier, context);
}`;

class InProcessRunner {
  static inject = ["options"];
  #files;
  #tests = null;

  constructor(options) {
    this.#files = options.inProcess.testFiles.flatMap(listTests);
  }

  capabilities() {
    return { reloadEnvironment: false };
  }

  async dryRun() {
    const state = useState();
    state.mutantCoverage = { static: {}, perTest: {} };
    const tests = [];
    for (const test of await this.#load()) {
      state.currentTestId = test.id;
      tests.push(await runTest(test));
    }
    state.currentTestId = undefined;
    return { status: "complete", tests, mutantCoverage: state.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    const state = useState();
    state.activeMutant = activeMutant.id;
    state.hitLimit = hitLimit;
    state.hitCount = hitLimit === undefined ? undefined : 0;
    let count = 0;
    try {
      const wanted = testFilter === undefined ? null : new Set(testFilter);
      const chosen = (await this.#load()).filter(({ id }) => wanted === null || wanted.has(id));
      // Most mutants die by a test of their own; those over thousands of records are asked last.
      chosen.sort((one, other) => one.spentMs - other.spentMs);
      for (const test of chosen) {
        count += 1;
        const { status, failureMessage } = await runTest(test);
        if (hitLimit !== undefined && state.hitCount > hitLimit) return { status: "timeout", reason: "hit limit" };
        if (status === failed) return { status: "killed", killedBy: [test.id], failureMessage, nrOfTests: count };
      }
      return { status: "survived", nrOfTests: count };
    } catch (error) {
      // The module that holds a static mutant does not even load.
      return { status: "killed", killedBy: ["load"], failureMessage: String(error), nrOfTests: count };
    } finally {
      state.activeMutant = undefined;
    }
  }

  async #load() {
    if (this.#tests !== null) return this.#tests;
    register(`data:text/javascript,${encodeURIComponent(redirect)}`);
    registerTypeScript();
    const { collectTests } = await import(shim);
    const tests = [];
    for (const file of this.#files) {
      const url = pathToFileURL(resolve(file)).href;
      for (const test of await collectTests(() => import(url)))
        tests.push({ ...test, id: `${file} ${test.name}`, file, spentMs: 0 });
    }
    this.#tests = tests;
    return tests;
  }
}

/** A name that ends with a slash stands for the tests of that folder and of those in it. */
function listTests(name) {
  if (!name.endsWith("/")) return [name];
  return readdirSync(name, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(".test.ts"))
    .sort((one, other) => one.localeCompare(other))
    .map((file) => `${name}${file}`);
}

const [passed, failed] = [0, 1];

async function runTest(test) {
  const { id, name, file, run } = test;
  const startMs = performance.now();
  const about = { id, name, fileName: file };
  try {
    await run();
    test.spentMs = performance.now() - startMs;
    return { ...about, status: passed, timeSpentMs: test.spentMs };
  } catch (error) {
    const failureMessage = String(error?.message ?? error).slice(0, 300);
    return { ...about, status: failed, failureMessage, timeSpentMs: performance.now() - startMs };
  }
}

/** The state that the instrumented sources share with the runner. */
function useState() {
  globalThis.__stryker__ ??= {};
  return globalThis.__stryker__;
}

export const strykerPlugins = [{ kind: "TestRunner", name: "in-process", injectableClass: InProcessRunner }];
export const strykerValidationSchema = {
  type: "object",
  properties: {
    inProcess: {
      type: "object",
      description: "Settings of the runner that keeps the tests of judges loaded.",
      properties: { testFiles: { type: "array", items: { type: "string" } } },
    },
  },
};
