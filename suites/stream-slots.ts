import { streamSlotLabels } from "../src/conformance/judges/stream/stream-slots.ts";
import type { Case, CaseTools } from "../src/conformance/plan/case.ts";
import type { Intent } from "../src/core/exchange/intent.ts";
import { momentsOf } from "../src/core/exchange/moments.ts";
import { between } from "../src/core/exchange/instant.ts";
import { chatRequest, shortChatTokens } from "./requests/chat-request.ts";
import { leftStream, leftStreamTokens } from "./requests/left-stream.ts";

/** More than services of a small account let stand open at once. */
const leftTimes = 10;
/** Waits between the tries of the stream afterwards, in seconds. */
const waits = [1, 2, 4, 8, 16] as const;
/** The first tokens are a fiftieth of such an answer: one that is made to its end holds its place for so long. */
const timesLonger = 50;
const [shortestWaitMs, longestWaitMs] = [60_000, 120_000];

/** A place that is not free yet may be refused for a while. */
const afterwards: Intent = { kind: "housekeeping", purpose: "ask for a stream after others were left" };

/** Leaves streams until one is refused; milliseconds until the slowest one was left. */
async function leaveStreams(tools: CaseTools): Promise<number> {
  let slowestMs = 0;
  for (let round = 1; round <= leftTimes; round += 1) {
    const left = await tools.send({ ...leftStream(tools.manifest, streamSlotLabels.left.label(round)), retry: false });
    if (left.response?.status !== 200) break;
    const { sent, ended } = momentsOf(left);
    slowestMs = Math.max(slowestMs, between(sent, ended).mostMs);
  }
  return slowestMs;
}

/** Runs after all others: streams that other cases opened have to give their places back as well. */
export const streamSlotCases: readonly Case[] = [
  {
    id: "stream/after-left-streams",
    suite: "stream",
    title: "Gives streams to a key that left some before their end",
    covers: ["STRM-018"],
    needs: [
      { kind: "model", use: "chat" },
      { kind: "feature", name: "stream" },
    ],
    cost: {
      requests: { chat: leftTimes + waits.length + 3 },
      tokens: leftTimes * leftStreamTokens + (waits.length + 3) * shortChatTokens,
    },
    alone: true,
    async run(tools) {
      const slowestMs = await leaveStreams(tools);
      // No wait brings back a budget that is used up.
      const ask = async (round: number): Promise<boolean> => {
        const stream = chatRequest(tools.manifest, streamSlotLabels.after.label(round), { stream: true }, afterwards);
        const { isSuccess, failure } = await tools.send({ ...stream, retry: false });
        return isSuccess || failure?.kind === "budget";
      };
      if (await ask(1)) return;
      for (const [index, seconds] of waits.entries()) {
        await tools.sleep(seconds * 1000);
        if (await ask(index + 2)) return;
      }
      // Answers that nobody reads may be made to their end, those that other cases left too.
      await tools.sleep(Math.min(longestWaitMs, Math.max(shortestWaitMs, timesLonger * slowestMs)));
      if (await ask(waits.length + 2)) return;
      await tools.send({ ...chatRequest(tools.manifest, streamSlotLabels.plain), retry: false });
    },
  },
];
