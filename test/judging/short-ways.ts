import type { ExchangeJudge, JudgeContext } from "../../src/conformance/judge.ts";
import type { Exchange } from "../../src/core/exchange.ts";

/** What the short ways of a judge (`concerns`, `glance`) say otherwise about one exchange than its long one; null: nothing. */
export function findContradiction(judge: ExchangeJudge, exchange: Exchange, context: JudgeContext): string | null {
  const { response, endpoint, intent, seq } = exchange;
  // What was never answered is of no kind, so no judge says that it is none of its concern.
  const isConcerned =
    response === null ||
    (judge.concerns?.({ endpoint, status: response.status, intent: intent.kind, streamed: response.stream !== null }) ?? true);
  const glanced = isConcerned ? (judge.glance?.(exchange, context) ?? null) : [];
  if (glanced === null) return null;
  const said = [...judge.judge(exchange, context)];
  const [told, short] = [said.map(({ requirement }) => requirement).join(), glanced.join()];
  if (short !== told) return `#${seq} yields ${told} but ${short} ${isConcerned ? "at a glance" : "is no concern"}`;
  const accusing = said.find(({ outcome }) => outcome === "fail" || outcome === "advisory");
  return accusing === undefined ? null : `#${seq} is violated (${accusing.message}) but passes at a glance`;
}
