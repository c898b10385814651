import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { type JsonValue, showValue } from "../../judging/json-value.ts";
import { listedIds } from "../models/model-list.ts";
import { type ChatAnswer, chatAnswer, tokenCount } from "./chat-answer.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

/** Labels of a prompt, and of the same one twice over. */
export const promptLabels = { once: "prompt", doubled: "prompt-doubled" } as const;

/** Completions compared with each other and with the list of models. */
export const chatCompletionRelations: RunJudge = {
  scope: "run",
  id: "chat-completion-relations",
  covers: ["CMPL-002", "CMPL-007", "CMPL-023"],
  conclusive: true,
  *judge(exchanges): Iterable<Occurrence> {
    const answers = exchanges.map(chatAnswer).filter((answer) => answer !== null);
    yield* judgeIds(answers);
    const models = listedIds(exchanges);
    for (const answer of answers) yield* judgeModel(answer, models);
    yield* judgeLongerPrompts(answers);
  },
};

function* judgeIds(answers: readonly ChatAnswer[]): Iterable<Occurrence> {
  const first = new Map<string, number>();
  for (const { exchange, body } of answers) {
    const { id } = body;
    if (typeof id !== "string" || id === "") continue;
    const before = first.get(id);
    if (before === undefined) {
      first.set(id, exchange.seq);
      yield { requirement: "CMPL-002", outcome: "pass", exchanges: [exchange.seq] };
    } else {
      yield {
        requirement: "CMPL-002",
        outcome: "fail",
        exchanges: [exchange.seq, before],
        kind: "two completions have the same id",
        expected: "an id of its own for each completion",
        observed: `${showValue(id, 60)} in #${before} and #${exchange.seq}`,
      };
    }
  }
}

/** Equal to the requested id, or what that alias stands for: some id of the list (AMB-42). */
function* judgeModel({ exchange, request, body }: ChatAnswer, models: ReadonlySet<JsonValue | undefined>): Iterable<Occurrence> {
  const used = body["model"];
  if (typeof used !== "string" || used === "") return;
  yield passOrFail({ requirement: "CMPL-007", exchanges: [exchange.seq] }, used === request["model"] || models.has(used), () => ({
    kind: "the model that was used is neither the requested one nor listed",
    expected: `${showValue(request["model"], 60)} or an id of GET /v1/models`,
    observed: showValue(used, 60),
  }));
}

/** Metamorphic: the same prompt twice over cannot cost fewer tokens than once. */
function* judgeLongerPrompts(answers: readonly ChatAnswer[]): Iterable<Occurrence> {
  for (const longer of answers.filter((answer) => answer.exchange.label === promptLabels.doubled)) {
    const shorter = answers.find(
      (answer) => answer.exchange.caseId === longer.exchange.caseId && answer.exchange.label === promptLabels.once,
    );
    if (shorter === undefined) continue;
    const [less, more] = [tokenCount(shorter.body, "prompt_tokens"), tokenCount(longer.body, "prompt_tokens")];
    if (less === null || more === null) continue;
    const exchangesSeen = [longer.exchange.seq, shorter.exchange.seq];
    yield passOrFail({ requirement: "CMPL-023", exchanges: exchangesSeen }, more >= less, () => ({
      kind: "a longer prompt is counted as fewer tokens",
      expected: `at least ${less} prompt_tokens`,
      observed: `${more} prompt_tokens`,
    }));
  }
}
