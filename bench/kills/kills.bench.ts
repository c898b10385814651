/**
 * SIGKILL at random instants of each stage: `npm run bench:sigkill -- [--kills N] [--only REGEXP] [--at-once N] [--seed N]`. Prints for
 * each stage how many were killed, how many records were left, how many had settings changed, and what did not hold.
 */
import { parseArgs } from "node:util";
import { createRandom } from "../../src/core/random.ts";
import { type KilledOnce, killOnce } from "./kill-once.ts";
import { killedStages } from "./killed-stages.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    only: { type: "string", default: "" },
    "at-once": { type: "string", default: "2" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const random = createRandom(Number(values.seed));
let failed = 0;
process.stdout.write(
  `seed ${values.seed}\n| stage | runs | killed | with records | with lines of load | settings left changed | held |\n|---|---|---|---|---|---|---|\n`,
);
for (const stage of killedStages.filter(({ id }) => new RegExp(values.only).test(id))) {
  const instants = random.fork(stage.id);
  // From its first exchange to its end, on this machine and beside as many others: instants are drawn from that.
  const whole = Array.from({ length: Number(values["at-once"]) }, () => killOnce(stage, { since: "record", ms: 600_000 }, 0));
  const lengthMs = Math.max(...(await Promise.all(whole)).map(({ tookMs, recordAtMs }) => tookMs - (recordAtMs ?? 0)));
  const left = Array.from({ length: Number(values.kills) }, (_, seed) => ({ seed, ms: lengthMs * instants.next() }));
  const tried: KilledOnce[] = [];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const one = await killOnce(stage, { since: "record", ms: next.ms }, next.seed);
      tried.push(one);
      if (one.broken.length === 0) continue;
      failed += 1;
      process.stderr.write(`${stage.id} killed ${next.ms.toFixed(0)} ms after its first exchange: ${one.broken.join("; ")}\n`);
    }
  };
  await Promise.all(Array.from({ length: Number(values["at-once"]) }, work));
  const count = (holds: (one: KilledOnce) => boolean): number => tried.filter(holds).length;
  const cells = [
    tried.length,
    count(({ killedAtMs }) => killedAtMs !== null),
    count(({ exchanges }) => exchanges > 0),
    count(({ ledgerLines }) => ledgerLines > 0),
    count(({ leftChanged }) => leftChanged.length > 0),
    count(({ broken }) => broken.length === 0),
  ];
  process.stdout.write(`| ${stage.id} | ${cells.join(" | ")} |\n`);
}
process.exitCode = failed === 0 ? 0 : 1;
