import type { Case, CaseRequest, CaseTools } from "../../src/conformance/plan/case.ts";
import type { ExchangeFacts } from "../../src/core/exchange/exchange-facts.ts";
import { plainRequest } from "../requests/core-requests.ts";

const [ownKey, otherKey] = ["secondary", "primary"] as const;
/** Longer than the seconds for which an answer is usually kept. */
const pauseMs = 6000;
/** The other key uses more, so that what it is answered lies outside of what the own one is answered before and after. */
const usedFirst = [
  [otherKey, 8],
  [ownKey, 2],
] as const;

/** From the first of them to the last one. */
const spanMs = 3 * pauseMs + 3000;

/** Until the window ends that the answer states; 0 where it states none. */
function leftOfWindowMs({ rateLimit, targetNowSeconds }: ExchangeFacts): number {
  const { reset } = rateLimit.requests;
  return reset?.kind === "instant" ? reset.unixMs - targetNowSeconds * 1000 : 0;
}

type Asked = "models" | "usage";
const asked: readonly Asked[] = ["models", "usage"];

/** Both keys ask the same, after unequal use of it: first one of them alone, then both in turn within a moment. */
async function askInTurn(tools: CaseTools): Promise<void> {
  const { manifest } = tools;
  const send = async (key: string, label: string): Promise<readonly ExchangeFacts[]> => {
    const answers: ExchangeFacts[] = [];
    for (const endpoint of asked) {
      const request: CaseRequest = { ...plainRequest(endpoint, manifest, tools.wallMs()), label: `${label}-${endpoint}` };
      answers.push(await tools.send({ ...request, credential: { kind: "bearer", key } }));
    }
    return answers;
  };
  // All of it has to lie within one window: where one is about to end, the next one is waited for.
  const left = (await send(ownKey, "window")).map(leftOfWindowMs).filter((ms) => ms > 0 && ms < spanMs);
  if (left.length > 0) await tools.sleep(Math.max(...left) + 1000);
  for (const [key, times] of usedFirst) {
    for (let time = 1; time <= times; time += 1) await send(key, `${key}-${time}`);
    await tools.sleep(pauseMs);
  }
  await send(otherKey, "other-first");
  await send(ownKey, "own-second");
  await tools.sleep(pauseMs);
  await send(ownKey, "own-first");
}

export const keysInTurnCases: readonly Case[] = [
  {
    id: "core/keys-in-turn",
    suite: "core",
    title: "States the window of the key that asks, whoever asked the same before",
    covers: ["RATE-046"],
    needs: [{ kind: "key", name: ownKey }],
    // A third key that asked meanwhile would be the one whose answer is kept.
    alone: true,
    cost: { requests: { models: 14, usage: 14 }, tokens: 0, waitSeconds: (2 * spanMs) / 1000 },
    run: askInTurn,
  },
];
