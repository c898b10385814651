import type { Case, CaseTools } from "../../src/conformance/plan/case.ts";
import type { ExchangeFacts } from "../../src/core/exchange/exchange-facts.ts";
import { leftOfWindowMs } from "../requests/left-of-window.ts";

const [ownKey, otherKey] = ["secondary", "primary"] as const;
/** Longer than the seconds for which an answer is usually kept. */
const pauseMs = 6000;
const apartMs = 500;
/** The other key uses more, so that what it is answered lies outside of what the own one is answered before and after. */
const usedFirst = [
  [otherKey, 5],
  [ownKey, 1],
] as const;

/** From the first of them to the last one. */
const spanMs = 3 * pauseMs + apartMs + 3000;

/** Both keys ask the same, after unequal use of it: first one of them alone, then both in turn within a moment. */
async function askInTurn(tools: CaseTools): Promise<void> {
  const send = async (key: string, label: string): Promise<ExchangeFacts> =>
    tools.send({ endpoint: "models", label, credential: { kind: "bearer", key } });
  // All of it has to lie within one window: where one is about to end, the next one is waited for.
  const leftMs = leftOfWindowMs(await send(ownKey, "window"));
  if (leftMs > 0 && leftMs < spanMs) await tools.sleep(leftMs + 1000);
  for (const [key, times] of usedFirst) {
    for (let time = 1; time <= times; time += 1) await send(key, `${key}-${time}`);
    await tools.sleep(pauseMs);
  }
  await send(otherKey, "other-first");
  // However late this machine is, one is over before the other leaves.
  await tools.sleep(apartMs);
  await send(ownKey, "own-second");
  await tools.sleep(pauseMs);
  await send(ownKey, "own-first");
}

export const keysInTurnCases: readonly Case[] = [
  {
    id: "core/two-keys-in-turn",
    suite: "core",
    title: "States the window of the key that asks, whoever asked the same before",
    covers: ["RATE-046"],
    needs: [{ kind: "key", name: ownKey }],
    // A third key that asked meanwhile would be the one whose answer is kept.
    alone: true,
    cost: { requests: { models: 10 }, tokens: 0, waitSeconds: (2 * spanMs) / 1000 },
    run: askInTurn,
  },
];
