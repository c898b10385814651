import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { visibleJson } from "../../src/core/exchange/bodies/visible-json.ts";
import { certifyRun } from "../../src/features/certify/bundle/certify-run.ts";
import { createLedgerFile } from "../../src/run/record/ledger-file.ts";
import { makeKeys } from "../../test/features/certify/sample-bundle.ts";
import { makeRunRecord } from "../../test/make/results/make-run-record.ts";
import { writeDrawnLedger } from "./write-drawn-ledger.ts";

/*
 * Measures `assay verify` on a bundle of a million load exchanges, by its own account and by the clock, beside a
 * plain SHA-256 of the same file (needs `npm run build`): npx tsx bench/records/verify.bench.ts [exchanges]
 */
const exchanges = Number(process.argv[2] ?? 1_000_000);
const root = mkdtempSync(join(tmpdir(), "assay-verify-bench-"));
const folder = join(root, "run");
mkdirSync(folder);
const command = resolve(import.meta.dirname, "../../dist/src/cli/bin.js");
for (const arrivals of [0, 20]) {
  const ledger = join(folder, "load.ndjson");
  const { manifest } = makeRunRecord();
  const header = { kind: "header", schemaVersion: "1.0", runId: "bench", tool: { name: "assay", version: "bench" } } as const;
  const file = createLedgerFile(ledger, { header, mask: (text) => text });
  await writeDrawnLedger({ file, manifest, records: exchanges, arrivals });
  const heads = { evidence: null, load: file.head() };
  writeFileSync(join(folder, "run.json"), `${visibleJson(makeRunRecord({ stages: ["load"], heads }), 1)}\n`);
  const keys = makeKeys("ed25519");
  const [out, trust] = [join(root, `${arrivals}.assay.tar`), join(root, "key.pem")];
  writeFileSync(trust, keys.publicPem);
  await certifyRun({ folder, out, key: keys.signing, product: null, now: new Date() });
  const hashingFrom = performance.now();
  createHash("sha256").update(readFileSync(ledger)).digest();
  const hashingSeconds = (performance.now() - hashingFrom) / 1000;
  const began = performance.now();
  const flags = ["--trust", trust];
  const { stdout, status } = spawnSync(process.execPath, [command, "verify", out, ...flags], { encoding: "utf8", cwd: root });
  const figures = {
    exchanges,
    arrivals,
    status,
    ledgerBytes: statSync(ledger).size,
    bundleBytes: statSync(out).size,
    plainHashSeconds: hashingSeconds,
    wallSeconds: (performance.now() - began) / 1000,
    said: stdout.split("\n").filter((line) => /^(?:cost|checked: judged again|REFUSED)/.test(line)),
  };
  process.stdout.write(`${JSON.stringify(figures, null, 1)}\n`);
  rmSync(ledger);
}
rmSync(root, { recursive: true });
