import { readHistory } from "../history/history.ts";
import { opsOf, type LimitOp } from "../history/op.ts";
import { tolerancesFor } from "../history/tolerances.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { chargeDelayMs } from "./charge-delay.ts";
import { judgeEmbeddings, showsOwnTokens } from "./judge-embeddings.ts";

/** Words of one text of the batch: models for embeddings take short texts. */
const wordsOfText = 100;
const mostWords = 2400;

/**
 * One charge of embeddings between two small ones, when chat has used most of its tokens: what shows more than chat has left is
 * counted by itself. If it shows no more, nothing further is sent, since the specification leaves open whether embeddings lower
 * the tokens of chat.
 */
export async function runEmbeddingCharge(
  tools: ProbeTools,
  { key, chat, readChat }: { readonly key: string; readonly chat: LimitOp; readonly readChat: () => Promise<LimitOp> },
): Promise<LimitOp> {
  const leave = (text: string): void => tools.notJudged({ policy: "charge of embeddings, tokens", text });
  const before = await tools.send(embed(tools, key, "reading", 1));
  const { limit, remaining } = before.tokens;
  if (before.outcome !== "admitted" || limit === null || remaining === null) {
    leave(`#${before.seq} was answered ${before.status ?? "not at all"} and states ${remaining ?? "no"} remaining tokens`);
    return chat;
  }
  if (!showsOwnTokens(before, chat)) {
    leave(`#${before.seq} shows ${remaining} tokens, which may be those of chat: whether embeddings lower them is open`);
    return chat;
  }
  const words = Math.min(mostWords, Math.floor(0.45 * Math.min(limit, remaining)));
  await tools.send(embed(tools, key, "charge-embedding", words));
  await tools.sleep(chargeDelayMs + 100, "charges settle");
  await tools.send(embed(tools, key, "reading", 1));
  // Sent at once, since chat may get back what it used.
  await readChat();
  // A longer pause than between the readings of one charge, so that this reading is no part of it.
  await tools.sleep(2 * chargeDelayMs + 100, "a pause shows whether tokens refill");
  await tools.send(embed(tools, key, "reading", 1));
  const tolerances = tolerancesFor(tools.manifest);
  const { ops, offset } = readHistory(tools.sent, tolerances);
  const own = opsOf(ops, "tokens").filter((op) => op.key === key);
  if (judgeEmbeddings(own, tolerances, offset) === null)
    leave("too little was used to distinguish it from what comes back, or what they show may be the tokens of chat");
  return readChat();
}

function embed(tools: ProbeTools, key: string, phase: "reading" | "charge-embedding", words: number): ExamRequest {
  const text = (count: number): string =>
    Array.from({ length: count }, (_, index) => (index % 2 === 0 ? "count" : "words")).join(" ");
  const texts = Array.from({ length: Math.ceil(words / wordsOfText) }, (_, index) =>
    text(Math.min(wordsOfText, words - index * wordsOfText)),
  );
  const value = { model: tools.manifest.models.embedding, input: texts.length === 1 ? texts[0] : texts };
  return { policy: "tokens", phase, key, endpoint: "embeddings", body: { kind: "json", value } };
}
