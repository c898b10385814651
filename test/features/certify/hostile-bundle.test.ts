import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packBundle } from "../../../src/features/certify/bundle/pack-bundle.ts";
import { createRandom } from "../../../src/core/random.ts";
import { visibleJson } from "../../../src/core/exchange/bodies/visible-json.ts";
import { digestCatalogue } from "../../../src/features/certify/statement/digest-catalogue.ts";
import { digestTool } from "../../../src/features/certify/statement/tool-digest.ts";
import type { LoadLine } from "../../../src/run/record/ledger-file.ts";
import { judgeRun } from "../../../src/run/record/judge-run.ts";
import { readRun } from "../../../src/run/record/read-run.ts";
import { sealRecord } from "../../../src/run/record/seal-record.ts";
import { renderStandard } from "../../../src/run/record/write-reports.ts";
import { runAssay } from "../../cli/run-assay.ts";
import { confuseJson } from "../../make/hostile/confuse-json.ts";
import { strangeExchanges, strangeLedger, strangeRecord, writeStrangeRun } from "../../make/results/strange-run.ts";
import { forbiddenMarkup, hostileStrings } from "../../make/hostile/hostile-strings.ts";
import { archiveOf, makeKeys } from "./sample-bundle.ts";

const isWhole = process.env["ASSAY_TEST_ALL"] === "1";
const rounds = isWhole ? 500 : 3;
const root = mkdtempSync(join(tmpdir(), "assay-hostile-bundle-"));
const folder = join(root, "run");
const [bundle, trust, statement] = ["bundle.assay.tar", "vendor.pem", "statement"].map((name) => join(root, name)) as [
  string,
  string,
  string,
];
const keys = makeKeys("ed25519");
let ledger: readonly LoadLine[];

/** The result of judging the run, and the members that a forger has taken from it. */
let derived: ReadonlyMap<string, Buffer>;
let result: ReturnType<typeof judgeRun>;

beforeAll(async () => {
  mkdirSync(folder);
  writeFileSync(trust, keys.publicPem);
  ledger = await strangeLedger();
  await write({});
  const { record, exchanges, load } = await readRun(folder);
  result = judgeRun(record, exchanges, load);
  derived = new Map([...(await renderStandard(result, exchanges))].map(([name, text]) => [name, Buffer.from(text)]));
});
afterAll(() => rmSync(root, { recursive: true }));

interface Parts {
  readonly record?: typeof strangeRecord;
  readonly exchanges?: readonly unknown[];
  readonly ledger?: readonly unknown[];
}

function write(parts: Parts): Promise<void> {
  return writeStrangeRun(folder, { record: strangeRecord, exchanges: strangeExchanges, ledger, ...parts });
}

/** A bundle of the files as they lie there, signed by a key that is trusted, and what `verify` and its pages say. */
async function verify(
  more: ReadonlyMap<string, Buffer> = new Map(),
): Promise<{ readonly exitCode: number | null; readonly said: string }> {
  const read = (name: string): readonly [string, Buffer] => [name, readFileSync(join(folder, name))];
  const text = hostileStrings.join(" ");
  const { members } = packBundle({
    result,
    product: { name: text, version: text },
    signedAt: new Date().toISOString(),
    toolSha256: digestTool(),
    catalogueSha256: digestCatalogue(),
    packed: new Map([...derived, read("evidence.ndjson"), read("load.ndjson")]),
    plain: new Map([read("run.json"), ["manifest.json", Buffer.from(`${visibleJson(strangeRecord.manifest, 1)}\n`)], ...more]),
    key: keys.signing,
  });
  writeFileSync(bundle, archiveOf(members));
  const { exitCode, stdout, stderr } = await runAssay(["verify", bundle, "--trust", trust, "--statement", statement]);
  return { exitCode, said: stdout + stderr };
}

/** No byte of a target or a signer steers a terminal, a page or a log. */
function expectTame(name: string, text: string): void {
  // Characters that lay out a line of ours are no control characters of theirs.
  expect([name, text.replaceAll(/[\n\t]|\r\n/g, "").match(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)?.[0]]).toEqual([name, undefined]);
  if (name === "terminal") expect(text).not.toMatch(/^::/m);
  if (/html|svg/.test(name)) for (const markup of forbiddenMarkup) expect(text).not.toContain(markup);
}

describe("a bundle of a stranger whose target was hostile", () => {
  it("is verified and judged again, and nothing in it acts in the terminal or on a page", async () => {
    const { exitCode, said } = await verify();
    expect(`${exitCode} ${said}`).toMatch(
      /^1 [^]*judged again, the run gives result\.json, report\.html, junit\.xml byte for byte/,
    );
    expect(said).toContain("NOT ACCEPTED");
    expectTame("terminal", said);
    const pages = readdirSync(root).filter((name) => name.startsWith("statement."));
    expect(pages).toHaveLength(6);
    for (const name of pages) expectTame(name, readFileSync(join(root, name), "utf8"));
  });

  it.each(["evidence", "ledger", "record"] as const)(
    "with anything in its %s is refused in words, never by a crash",
    async (part) => {
      const random = createRandom(isWhole ? Date.now() : 5).fork(part);
      const confuse = <Value>(value: Value, oneIn: number): Value =>
        confuseJson(value, (most) => random.integer(0, most), oneIn) as Value;
      for (let round = 0; round < rounds; round += 1) {
        const oneIn = 3 + random.integer(0, 60);
        const some = <Value>(all: readonly Value[]): readonly Value[] => {
          const at = random.integer(0, all.length - 1);
          return all.map((one, index) => (index === at ? confuse(one, oneIn) : one));
        };
        await write({
          ...(part === "record" ? { record: sealRecord({ ...strangeRecord, ...confuse(strangeRecord, oneIn) }) } : {}),
          ...(part === "evidence" ? { exchanges: some(strangeExchanges) } : {}),
          ...(part === "ledger" ? { ledger: some(ledger) } : {}),
        });
        const { exitCode, said } = await verify();
        expect(`${round}: ${exitCode} ${said}`).toMatch(
          new RegExp(`^${round}: 1 (?:REFUSED  (?:the bundle\\/)?(?:evidence|load|run|result)\\.|product )`),
        );
        expectTame("terminal", said);
      }
    },
  );
});
