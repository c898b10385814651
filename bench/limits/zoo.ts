import { appendFileSync, writeFileSync } from "node:fs";
import { examinePeer } from "../../test/limits/peers/examine-peer.ts";
import { compactExchanges, type CompactHistory } from "../../test/limits/zoo/compact-history.ts";
import { zooSetups, type ZooSetup } from "./zoo/setups.ts";
import { stopShared } from "./zoo/upstreams.ts";

/**
 * The exam in real time against limiters of other ecosystems, lawful and broken as they break in production, after
 * `bench/limits/zoo/setup.sh`: the table of docs/measurements/limits.md. `zoo.ts [short|full] [side by side] [only] [history file]`.
 */
const [examText = "short", sideText = "8", only = "", historyFile = ""] = process.argv.slice(2);
const exam = examText === "full" ? "full" : "short";
const setups = zooSetups.filter((one) => `${one.ecosystem} ${one.id} ${one.truth}`.includes(only));
const rows = new Map<string, string>();

async function examine(setup: ZooSetup): Promise<void> {
  const startedMs = performance.now();
  const limits = { limit: 30, windowMs: 60_000 };
  const { judgement, exchanges } = await examinePeer({ limits, start: () => setup.start() }, undefined, exam);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const [policy] = judgement.result.policies;
  const survivors = policy?.identification?.survivors.map(({ family, witness }) => (witness ? `${family}*` : family)) ?? [];
  const reported = judgement.findings.map(({ check, verdict }) => (verdict === "fail" ? `**${check}**` : `(${check})`));
  const cells = [
    setup.ecosystem,
    setup.id,
    setup.truth,
    policy?.tier ?? "not judged",
    survivors.join(", "),
    reported.join(" "),
    seconds,
  ];
  rows.set(setup.id, `| ${cells.join(" | ")} |`);
  console.error(rows.get(setup.id));
  const { id, truth, family } = setup;
  const history: CompactHistory = { id, truth, family, exam, ...compactExchanges(exchanges) };
  if (historyFile !== "") appendFileSync(historyFile, `${JSON.stringify(history)}\n`);
}

if (historyFile !== "") writeFileSync(historyFile, "");
const waiting = [...setups];
await Promise.all(
  Array.from({ length: Number(sideText) }, async () => {
    for (let setup = waiting.shift(); setup !== undefined; setup = waiting.shift()) {
      const { id } = setup;
      await examine(setup).catch((error: unknown) => console.error(`${id}: ${String(error)}`));
    }
  }),
);
stopShared();
console.log("| ecosystem | limiter | truth | tier | families (* proven) | reported | s |\n|---|---|---|---|---|---|--:|");
for (const { id } of setups) if (rows.has(id)) console.log(rows.get(id));
