import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createRandom, type Random } from "../../../src/core/random.ts";
import { rejudgeRun } from "../../../src/run/record/rejudge-run.ts";
import { sealRecord } from "../../../src/run/record/seal-record.ts";
import { renderStandard } from "../../../src/run/record/write-reports.ts";
import { confuseJson } from "../../make/hostile/confuse-json.ts";
import { strangeExchanges, strangeLedger, strangeRecord, writeStrangeRun } from "../../make/results/strange-run.ts";

const isWhole = process.env["ASSAY_TEST_ALL"] === "1";
const rounds = isWhole ? 3000 : 15;
const folder = mkdtempSync(join(tmpdir(), "assay-strangers-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The outcome: a refusal in words, or a result. */
async function judge(): Promise<string> {
  let judged;
  try {
    judged = await rejudgeRun(folder);
  } catch (error) {
    // A refusal names the file; anything else is a fault of ours.
    const { message, stack } = error as Error;
    return /run\.json|evidence\.ndjson/.test(message) ? "refused" : `fault: ${stack ?? message}`;
  }
  const { result } = judged;
  if (result.exitCode === 4) return `fault: ${result.reason}`;
  const rendered = await renderStandard(result, judged.exchanges);
  return rendered.size === 3 ? "judged" : `fault: rendered ${[...rendered.keys()].join()}`;
}

const drawn = (random: Random) => (most: number) => random.integer(0, most);

describe("a run folder of a stranger, sealed anew", () => {
  it("is judged as it stands", async () => {
    await writeStrangeRun(folder, { record: strangeRecord, exchanges: strangeExchanges, ledger: await strangeLedger() });
    expect(await judge()).toBe("judged");
  });

  it.each(["evidence", "ledger", "record"] as const)("with anything in its %s is judged, or refused in words", async (part) => {
    const random = createRandom(isWhole ? Date.now() : 3).fork(part);
    const seen = new Set<string>();
    const ledger = await strangeLedger();
    for (let round = 0; round < rounds; round += 1) {
      const at = random.integer(0, 1000);
      // From one changed value to hardly any that is left.
      const oneIn = 3 + random.integer(0, 60);
      const confuse = <Value>(value: Value): Value => confuseJson(value, drawn(random), oneIn) as Value;
      const some = <Value>(all: readonly Value[]): readonly Value[] =>
        all.map((one, index) => (index === at % all.length ? confuse(one) : one));
      await writeStrangeRun(folder, {
        record: part === "record" ? sealRecord({ ...strangeRecord, ...confuse(strangeRecord) }) : strangeRecord,
        exchanges: part === "evidence" ? some(strangeExchanges) : strangeExchanges,
        ledger: part === "ledger" ? some(ledger) : ledger,
      });
      const outcome = await judge();
      expect([round, outcome]).toEqual([round, expect.stringMatching(/^(?:judged|refused)$/)]);
      seen.add(outcome);
    }
    expect(seen.has("judged")).toBe(true);
  });
});
