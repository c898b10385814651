import type { ExchangeJudge, JudgeContext } from "../../../src/conformance/judging/judge.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";

/** What the short ways of a judge (`concerns`, `glance`) say otherwise about one exchange than its long one; null: nothing. */
export function findContradiction(judge: ExchangeJudge, exchange: Exchange, context: JudgeContext): string | null {
  const { response, endpoint, intent, seq } = exchange;
  const kind = { endpoint, status: response?.status ?? 0, intent: intent.kind, streamed: response?.stream != null };
  // What was never answered is of no kind, so no judge says that it is none of its concern.
  const isConcerned = response === null || (judge.concerns?.(kind) ?? true);
  const glanced = judge.glance?.(exchange, context) ?? null;
  if (isConcerned && glanced === null) return null;
  const said = [...judge.judge(exchange, context)];
  const told = said.map(({ requirement }) => requirement).join();
  if (!isConcerned && told !== "") return `#${seq} is no concern but yields ${told}`;
  if (glanced === null) return null;
  if (glanced.join() !== told) return `#${seq} yields ${told} but ${glanced.join()} at a glance`;
  const accusing = said.find(({ outcome }) => outcome === "fail" || outcome === "advisory");
  return accusing === undefined ? null : `#${seq} is violated (${accusing.message}) but passes at a glance`;
}
