import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { knownPersonalities } from "../../bench/detection/personalities.ts";
import { run } from "../../src/run/run.ts";
import { askedOf, drawByArea, share, shareTitle, testDay } from "../make/runner/switch-share.ts";

const personalities = knownPersonalities.map(({ name, variants }) => ({ id: name, area: "limits", variants }));
const drawn = askedOf("personalities", personalities, personalities.length);
/** CI asks a quarter of the others a day; `npm run test:all` asks all. */
const asked = share === "rest" ? [...drawByArea(`personalities of CI/${testDay}`, drawn, 4)] : drawn;

describe(`the default exam of limits (${shareTitle})`, () => {
  it.each(asked.map((one) => [one.id, one.variants] as const))(
    "leaves nothing open at the lawful service %s",
    async (_, variants) => {
      const outDir = mkdtempSync(join(tmpdir(), "assay-personality-"));
      onTestFinished(() => rmSync(outDir, { recursive: true }));
      const { result } = await run({ stages: ["limits"], variants, outDir });
      expect([result.exitCode, result.reason]).toEqual([0, expect.stringContaining("conformant in scope")]);
    },
  );
});
