import { createRandom } from "../../src/core/random.ts";
import { describe, expect, it } from "vitest";
import { killOnce } from "../../bench/kills/kill-once.ts";
import { killedStages } from "../../bench/kills/killed-stages.ts";
import { isWhole } from "../make/runner/sample.ts";

const [kills, withinMs] = isWhole ? [10, 1500] : [1, 500];

describe("a run that was killed", () => {
  // By chance over the whole length of each, a hundred times: npm run bench:sigkill.
  it.each(killedStages.filter(({ target }) => target === "embedded" || isWhole))(
    "in $id is judged as far as it was recorded, and called partial",
    async (stage) => {
      const random = createRandom(7).fork(stage.id);
      for (let kill = 0; kill < kills; kill += 1) {
        const { broken } = await killOnce(stage, { since: "record", ms: withinMs * random.next() }, kill);
        expect(broken).toEqual([]);
      }
    },
  );
});
