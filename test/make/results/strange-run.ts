import type { Tally } from "../../../src/conformance/verdict/tally.ts";
import { writeDrawnLedger } from "../../../bench/records/write-drawn-ledger.ts";
import * as fc from "fast-check";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { visibleJson } from "../../../src/core/exchange/bodies/visible-json.ts";
import { suiteIds } from "../../../src/core/result/requirement.ts";
import { createSaidLog } from "../../../src/load/ledger/said-log.ts";
import { createEvidenceWriter } from "../../../src/evidence/evidence-writer.ts";
import { createLedgerFile, type LedgerFile, type LoadLine } from "../../../src/run/record/ledger-file.ts";
import type { RunRecord } from "../../../src/run/record/run-record.ts";
import { sealRecord } from "../../../src/run/record/seal-record.ts";
import { specification } from "../../../src/run/specification.ts";
import { createRedactor } from "../../../src/wire/redaction/redaction.ts";
import { hostileAnswer, recordAnswer } from "../hostile/hostile-answer.ts";
import { makeRunRecord } from "./make-run-record.ts";
import { testManifest } from "../test-manifest.ts";

const manifest = testManifest("http://127.0.0.1:1");
const redactor = createRedactor(manifest);
const tool = { name: "assay", version: "0.1.0" } as const;
/** Answers of a hostile target to requests of all stages. */
export const strangeExchanges: readonly Exchange[] = fc
  .sample(hostileAnswer, { numRuns: 24, seed: 5 })
  .map((one, index) => recordAnswer(one, index + 1, 900 * index, redactor));
export const strangeRecord: RunRecord = makeRunRecord({
  stages: ["conformance", "limits", "load"],
  suites: suiteIds,
  spent: { requests: 24, promptTokens: 0, completionTokens: 0, estimatedUsd: 0 },
});
/** Of streams, with lines of every kind but whole exchanges. */
export async function strangeLedger(): Promise<readonly LoadLine[]> {
  const lines: LoadLine[] = [];
  const sink = (json: string): void => void lines.push(JSON.parse(json) as LoadLine);
  const file: LedgerFile = {
    write: (line) => sink(JSON.stringify(line)),
    sink,
    head: () => ({ lines: lines.length, sha256: "" }),
    close: () => Promise.resolve(),
  };
  await writeDrawnLedger({ file, manifest: strangeRecord.manifest, records: 12, arrivals: 3, gates: ["error_rate < 5%"] });
  const said = createSaidLog(0, () => sink);
  said.add({ seq: 3, judge: "chat-shape", requirement: "CHAT-060" });
  said.close();
  const tally: Tally = {
    requirement: "CHAT-060",
    stage: "load",
    subject: "200 chat",
    message: "hostile \u001b[2J",
    kind: "hostile \u001b[2J",
    outcome: "fail",
    count: 1,
    exchanges: [3],
  };
  const considered = [["load/200 chat", [["CHAT-060", 12]]]] as const;
  return [...lines, { kind: "passive", counts: { seen: 12, judged: 12, tallies: [["one", tally]], considered, unjudged: [] } }];
}

/** Files whose digests and seals all hold together, as whoever computes them anew can write them. */
export async function writeStrangeRun(
  folder: string,
  parts: {
    readonly record: RunRecord;
    readonly exchanges: readonly unknown[];
    readonly ledger: readonly unknown[];
  },
): Promise<void> {
  const path = join(folder, "evidence.ndjson");
  rmSync(path, { force: true });
  rmSync(join(folder, "load.ndjson"), { force: true });
  const { command, seed, strict, runId, startedAt, manifest: shown } = strangeRecord;
  const writer = createEvidenceWriter(path, {
    kind: "header",
    schemaVersion: "1.0",
    runId,
    tool,
    specSha256: specification.sha256,
    startedAt,
    seed,
    strict,
    command,
    manifest: shown,
  });
  for (const one of parts.exchanges) writer.append(one as Exchange);
  await writer.close({ interrupted: false });
  const file = createLedgerFile(join(folder, "load.ndjson"), {
    header: { kind: "header", schemaVersion: "1.0", runId, tool },
    mask: (text) => text,
  });
  for (const line of parts.ledger) file.write(line as LoadLine);
  await file.close(false);
  const { seal: _seal, ...record } = parts.record;
  const sealed = sealRecord({ ...record, heads: { evidence: writer.head(), load: file.head() } });
  writeFileSync(join(folder, "run.json"), `${visibleJson(sealed, 1)}\n`);
}
