/**
 * Measures the mutants that Stryker leaves out as static: what a module of `judges/` computes while it loads, such as tables of
 * rows. Stryker would need a new process and all tests for each. Here one process loads the module anew under a query while the
 * mutant is active, and asks the golden files of its judges, the short ways of these judges, and the tests of its folder, whose
 * import of that module is led to the new one.
 *   node tools/mutation/static-mutants.mjs [folder,...]    prints a line for each module and what nothing caught; minutes
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { register } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { argv, chdir, execPath } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { register as registerTypeScript } from "tsx/esm/api";

const judgesFolder = "src/conformance/judges";

if (argv[2] === "--inside") await measure(argv[3]?.split(",") ?? listFolders());
else {
  chdir(fileURLToPath(new URL("../..", import.meta.url)));
  const sandbox = instrument();
  try {
    const script = join(sandbox, "tools/mutation/static-mutants.mjs");
    execFileSync(execPath, [script, "--inside", ...argv.slice(2, 3)], { cwd: sandbox, stdio: "inherit" });
  } finally {
    rmSync(resolve(sandbox, ".."), { recursive: true, force: true });
  }
}

/** The sandbox of a dry run: the sources with every mutant in them. */
function instrument() {
  const folder = mkdtempSync(join(tmpdir(), "static-mutants-"));
  const config = JSON.parse(readFileSync("stryker.config.json", "utf8"));
  config.mutate = [`${judgesFolder}/**/*.ts`];
  config.tempDirName = ".stryker-tmp/static";
  config.cleanTempDir = false;
  config.inProcess = { testFiles: ["test/conformance/judges/models.test.ts"] };
  const file = join(folder, "stryker.json");
  writeFileSync(file, JSON.stringify(config));
  execFileSync(execPath, ["node_modules/@stryker-mutator/core/bin/stryker.js", "run", file, "--dryRunOnly"], { stdio: "ignore" });
  rmSync(folder, { recursive: true });
  const sandbox = readdirSync(".stryker-tmp/static").find((name) => name.startsWith("sandbox-"));
  return resolve(".stryker-tmp/static", sandbox);
}

function listFolders() {
  const entries = readdirSync(judgesFolder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function measure(folders) {
  const shim = href("tools/mutation/in-process-vitest.mjs");
  registerTypeScript();
  // A test under `?m=7&f=a.ts` imports `a.ts?m=7`, which is the module as it loaded with mutant 7.
  const hooks = `export async function resolve(specifier, context, next) {
    if (specifier === "vitest") return { url: ${JSON.stringify(shim)}, shortCircuit: true };
    const found = await next(specifier, context);
    const [, id, file] = /[?&]m=(\\d+)&f=([^&]+)/.exec(context.parentURL ?? "") ?? [];
    const [url] = found.url.split("?");
    return id !== undefined && url.endsWith("/" + file) ? { ...found, url: url + "?m=" + id } : found;
  }`;
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
  const state = (globalThis.__stryker__ ??= {});
  state.mutantCoverage = { static: {}, perTest: {} };
  await import(href(`${judgesFolder}/all-judges.ts`));
  const isStatic = new Set(Object.keys(state.mutantCoverage.static));
  state.currentTestId = "any";
  const catches = await createCatcher(shim);
  const [all, missed] = [{ count: 0 }, []];
  for (const folder of folders) {
    for (const file of readdirSync(join(judgesFolder, folder)).sort()) {
      const text = readFileSync(join(judgesFolder, folder, file), "utf8");
      const ids = [...new Set([...text.matchAll(/stryMutAct_\w+\("(\d+)"\)/g)].map(([, id]) => id))].filter((id) =>
        isStatic.has(id),
      );
      if (ids.length === 0) continue;
      // A mutant that is not there has to be missed: else the tests fail for another reason.
      if (await catches(folder, file, "0".repeat(9))) throw new Error(`the tests of ${file} fail without a mutant`);
      const open = [];
      for (const id of ids) if (!(await catches(folder, file, id))) open.push(id);
      all.count += ids.length;
      console.log(`${folder}/${file}: ${ids.length} static, ${open.length} not caught`);
      for (const id of open) missed.push(`${folder}/${file}: ${text.split(`stryMutAct_9fa48("${id}")`)[1]?.slice(0, 200)}`);
    }
  }
  console.log(
    [`${all.count} static, ${missed.length} not caught`, ...missed.map((line) => line.replaceAll(/\s+/g, " "))].join("\n"),
  );
}

async function createCatcher(shim) {
  const { collectTests } = await import(shim);
  const { describeJudge, printGolden } = await import(href("test/conformance/judges/print-golden.ts"));
  const { findContradiction } = await import(href("test/conformance/judges/short-ways.ts"));
  const { firstOfEachKind, readGolden } = await import(href("test/conformance/judges/read-golden.ts"));
  const { spoilExchange } = await import(href("test/conformance/spoil-exchange.ts"));
  const { exchanges, context } = readGolden();
  const defects = [...firstOfEachKind(exchanges).values()].flatMap((one) => spoilExchange(one).map(({ exchange }) => exchange));
  const tests = ["judging", "suites"]
    .flatMap((name) => readdirSync(`test/${name}`).map((file) => `test/${name}/${file}`))
    .filter((file) => file.endsWith(".test.ts") && !/(?:golden|glance)\.test/.test(file));

  const differs = (judge, known) => {
    if (describeJudge(judge) !== describeJudge(known)) return true;
    const file = `test/conformance/judges/golden/${known.id}.txt`;
    if (existsSync(file) && printGolden(judge) !== readFileSync(file, "utf8")) return true;
    const records = judge.scope === "exchange" ? [...exchanges, ...defects] : [];
    return records.some((exchange) => findContradiction(judge, exchange, context) !== null);
  };

  return async (folder, file, id) => {
    const module = href(join(judgesFolder, folder, file));
    const state = globalThis.__stryker__;
    const known = await import(module);
    state.activeMutant = id;
    try {
      const fresh = await import(`${module}?m=${id}`);
      for (const [name, value] of Object.entries(known)) {
        if (typeof value?.judge === "function" && differs(fresh[name], value)) return true;
        if (Array.isArray(value) && fresh[name].map(describeJudge).join() !== value.map(describeJudge).join()) return true;
      }
      for (const path of tests.filter((path) => readFileSync(path, "utf8").includes(`/judges/${folder}/`))) {
        for (const test of await collectTests(() => import(`${href(path)}?m=${id}&f=${file}`))) await test.run();
      }
      return false;
    } catch {
      return true;
    } finally {
      state.activeMutant = undefined;
    }
  };
}

function href(path) {
  return pathToFileURL(resolve(path)).href;
}
