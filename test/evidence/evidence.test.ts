import { redactManifest } from "../../src/config/redact-manifest.ts";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { EvidenceHeader } from "../../src/evidence/evidence-line.ts";
import { EvidenceError, readEntries, readEvidence } from "../../src/evidence/evidence-reader.ts";
import { createEvidenceWriter } from "../../src/evidence/evidence-writer.ts";
import { compileSchema } from "../../src/schemas/validator.ts";
import { testManifest } from "../make/test-manifest.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-evidence-"));
  path = join(folder, "evidence.ndjson");
});
afterEach(() => rmSync(folder, { recursive: true }));

const header: EvidenceHeader = {
  kind: "header",
  schemaVersion: "1.0",
  runId: "run-1",
  tool: { name: "assay", version: "0.1.0" },
  specSha256: "",
  startedAt: "2026-11-21T08:00:00.000Z",
  seed: 7,
  strict: false,
  command: ["run"],
  manifest: redactManifest(testManifest("http://127.0.0.1:1")),
};

function exchange(seq: number, text = "{}"): Exchange {
  return {
    seq,
    stage: "conformance",
    caseId: "chat/minimal",
    label: "positive",
    intent: { kind: "valid" },
    endpoint: "chat",
    keyName: "primary",
    attempt: 1,
    retryOf: null,
    request: { method: "POST", path: "/v1/chat/completions", headers: [["accept", "*/*"]], body: null },
    response: { status: 200, headers: [], body: { bytes: text.length, sha256: "", text, truncated: false }, stream: null },
    failure: null,
    timing: { intendedMs: null, sentMs: 1.25, headersMs: 2, firstByteMs: 2, endMs: 3, wallMs: 1_790_000_000_000 },
    connection: { id: 1, reused: false },
  };
}

async function writeLog(count: number): Promise<void> {
  const writer = createEvidenceWriter(path, header);
  for (let seq = count; seq >= 1; seq -= 1) writer.append(exchange(seq, `line\nfeed ${seq} \u{1F600}`));
  await writer.close({ interrupted: false });
}

function rewriteLine(line: number, change: (text: string) => string | null): void {
  const lines = readFileSync(path, "utf8").split("\n");
  const changed = change(lines[line - 1]!);
  if (changed === null) lines.splice(line - 1, 1);
  else lines[line - 1] = changed;
  writeFileSync(path, lines.join("\n"));
}

describe("evidence", () => {
  it("is read back as it was written, by sequence number, and only by its owner", async () => {
    await writeLog(20);
    const evidence = await readEvidence(path);
    expect(evidence.header).toEqual(header);
    expect(evidence.exchanges).toEqual(
      Array.from({ length: 20 }, (_, index) => exchange(index + 1, `line\nfeed ${index + 1} \u{1F600}`)),
    );
    expect(evidence.end).toEqual({ kind: "end", exchanges: 20, interrupted: false });
    expect(evidence.problems).toEqual([]);
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it("writes no character that steers an editor or a terminal, and loses none", async () => {
    const hostile = "a\u202Eb\u200Bc\u009Bd\u2028e";
    const writer = createEvidenceWriter(path, header);
    writer.append(exchange(1, hostile));
    await writer.close({ interrupted: false });
    expect(readFileSync(path, "utf8")).not.toMatch(/[\u007f-\u009f\p{Cf}\p{Zl}]/u);
    expect((await readEvidence(path)).exchanges[0]?.response?.body?.text).toBe(hostile);
  });

  it("writes lines that its JSON Schema accepts, which refuses others", async () => {
    await writeLog(2);
    const check = compileSchema("evidence.schema");
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines.flatMap((line) => check(JSON.parse(line)))).toEqual([]);
    const [, line] = lines;
    expect(check({ ...JSON.parse(line!), secret: "x" })).not.toEqual([]);
    expect(check({ ...JSON.parse(line!), timing: {} })).not.toEqual([]);
  });

  it("reports a changed, a removed and an inserted line", async () => {
    const changes: ((text: string) => string | null)[] = [
      (text) => text.replace("*/*", "text/plain"),
      () => null,
      (text) => `${text}\n${text}`,
    ];
    for (const change of changes) {
      rmSync(path, { force: true });
      await writeLog(6);
      rewriteLine(4, change);
      const { problems } = await readEvidence(path);
      expect(problems.map(({ kind }) => kind)).toContain("chain-broken");
    }
  });

  it("reads what a killed process left behind, and says so", async () => {
    await writeLog(5);
    const bytes = readFileSync(path);
    for (const cut of [bytes.length - 1, bytes.length - 40, bytes.length - 300]) {
      writeFileSync(path, bytes.subarray(0, cut));
      const { exchanges, problems } = await readEvidence(path);
      expect(exchanges.length).toBeGreaterThanOrEqual(4);
      // An end line that lacks its line feed only is complete.
      expect(problems.map(({ kind }) => kind)).toEqual(
        cut === bytes.length - 1 ? [] : expect.arrayContaining(["cut-line", "no-end"]),
      );
    }
  });

  it("refuses what is no log", async () => {
    await expect(readEvidence(join(folder, "none"))).rejects.toThrow("there is no such file");
    writeFileSync(path, "");
    await expect(readEvidence(path)).rejects.toThrow("the file is empty");
    writeFileSync(path, '{"kind":"header","schemaVersion":"2.0"}\n');
    await expect(readEvidence(path)).rejects.toThrow(/:1: evidence of version "2.0"/);
    writeFileSync(path, '{"a":1}\n');
    await expect(readEvidence(path)).rejects.toBeInstanceOf(EvidenceError);
    rmSync(path);
    await writeLog(3);
    rewriteLine(3, () => "not json");
    await expect(readEvidence(path)).rejects.toThrow(/:3: the line is not JSON/);
  });

  it("loses nothing when the process must end at once, also while a write is under way", async () => {
    const writer = createEvidenceWriter(path, header);
    const large = "x".repeat(100_000);
    for (let seq = 1; seq <= 30; seq += 1) writer.append(exchange(seq, large));
    // One batch is with the thread pool now; the flush must neither lose nor repeat it.
    writer.flushSync();
    for (let seq = 31; seq <= 40; seq += 1) writer.append(exchange(seq, large));
    writer.closeSync({ interrupted: true });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const evidence = await readEvidence(path);
    expect(evidence.exchanges.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(evidence.end).toEqual({ kind: "end", exchanges: 40, interrupted: true });
    expect(evidence.problems).toEqual([]);
  });

  it("asks to wait when the disk lags behind, and settles once it has caught up", async () => {
    const writer = createEvidenceWriter(path, header);
    const large = "x".repeat(1_000_000);
    const ready = Array.from({ length: 24 }, (_, index) => writer.append(exchange(index + 1, large)));
    expect(ready[0]).toBe(true);
    expect(ready.at(-1)).toBe(false);
    await writer.drained();
    expect(writer.append(exchange(25))).toBe(true);
    await writer.close({ interrupted: false });
    await writer.close({ interrupted: false });
    let lines = 0;
    for await (const entry of readEntries(path)) {
      lines += 1;
      expect(entry.problem).toBeNull();
    }
    expect(lines).toBe(27);
  });

  it("never overwrites a log", async () => {
    await writeLog(1);
    expect(() => createEvidenceWriter(path, header)).toThrow("EEXIST");
    appendFileSync(path, "");
  });
});
