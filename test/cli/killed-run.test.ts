import { createRandom } from "../../src/core/random.ts";
import { describe, expect, it } from "vitest";
import { killOnce } from "../../bench/kills/kill-once.ts";
import { killedStages } from "../../bench/kills/killed-stages.ts";

const isWhole = process.env["ASSAY_TEST_ALL"] === "1";
const kills = isWhole ? 10 : 1;

describe("a run that was killed", () => {
  // By chance over the whole length of each, a hundred times: npm run bench:sigkill.
  it.each(killedStages.filter(({ target }) => target === "embedded" || isWhole))(
    "in $id is judged as far as it was recorded, and called partial",
    async (stage) => {
      const random = createRandom(7).fork(stage.id);
      for (let kill = 0; kill < kills; kill += 1) {
        const { broken } = await killOnce(stage, { since: "record", ms: 1500 * random.next() }, kill);
        expect(broken).toEqual([]);
      }
    },
  );
});
