// The committed sample, reports/sample/: a run of the reference service with two deliberate defects.
//   node scripts/sample.mjs record    sends the requests anew and keeps the record, unless it is not valid
//   node scripts/sample.mjs render    judges the kept record again and writes its reports anew; nothing is sent
// Both use the built command line (npm run build).
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { argv, execPath, exit, stdout } from "node:process";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const sample = join(root, "reports/sample");
const assay = join(root, "dist/src/cli/bin.js");
/** The files that are rendered; compressed if they are too long to be read as a whole. */
const kept = ["result.json.gz", "report.html", "junit.xml"];
const flags =
  "run --seed 42 --suite chat,stream,limits,spend --mutant chat/temperature-above-unchecked --mutant limits/over-admit-one".split(
    " ",
  );

function record(folder) {
  const { status, stderr } = spawnSync(execPath, [assay, ...flags], { cwd: folder, encoding: "utf8" });
  if (status !== 0 && status !== 1 && status !== 3) throw new Error(`the run ended with ${status}\n${stderr}`);
  const run = join(folder, "reports", readdirSync(join(folder, "reports"))[0]);
  const result = JSON.parse(readFileSync(join(run, "result.json"), "utf8"));
  if (!result.health.valid || result.verdict !== "failed") throw new Error(`nothing is kept of this run: ${result.reason}`);
  return run;
}

function keep(run) {
  mkdirSync(sample, { recursive: true });
  copyFileSync(join(run, "run.json"), join(sample, "run.json"));
  keepFile(run, "evidence.ndjson.gz");
  keepFile(run, "load.ndjson.gz");
}

function keepFile(run, name) {
  if (!name.endsWith(".gz")) copyFileSync(join(run, name), join(sample, name));
  else writeFileSync(join(sample, name), gzipSync(readFileSync(join(run, name.slice(0, -3))), { level: 9 }));
}

function render(folder) {
  const run = join(folder, "sample");
  mkdirSync(run);
  copyFileSync(join(sample, "run.json"), join(run, "run.json"));
  for (const name of ["evidence.ndjson", "load.ndjson"]) {
    writeFileSync(join(run, name), gunzipSync(readFileSync(join(sample, `${name}.gz`))));
  }
  const { status, stderr } = spawnSync(execPath, [assay, "report", "sample"], { cwd: folder, encoding: "utf8" });
  if (status !== 1) throw new Error(`the sample has failures, but its verdict was ${status}\n${stderr}`);
  for (const name of kept) keepFile(run, name);
}

const command = argv[2];
if ((command !== "record" && command !== "render") || !existsSync(assay)) {
  stdout.write("usage: npm run build && node scripts/sample.mjs record|render\n");
  exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "assay-sample-"));
try {
  if (command === "record") keep(record(folder));
  render(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
