import { groupBy } from "../../../core/group-by.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { Comparison, Relation } from "./relation.ts";

interface Grown extends Omit<Relation, "compare"> {
  /** The parts that a model reads, in order, and what must be equal beside them; null: not compared. */
  readonly read: (exchange: ExchangeFacts) => { readonly beside: string; readonly parts: readonly string[] } | null;
  /** The end at which the parts of the shorter request stand in the longer one. */
  readonly shares: "beginning" | "end";
}

interface Prompt {
  readonly parts: readonly string[];
  readonly seq: number;
  /** Of all answers to this prompt. */
  readonly least: number;
  readonly most: number;
}

/**
 * A prompt that holds another one and more has more tokens. The most that any answer states of the longer is held against the least of
 * the shorter: tokens that are read from a cache may be left out, which they are not the first time, and a service may add words.
 */
export function growingPrompts({ read, shares, ...relation }: Grown): Relation {
  return {
    ...relation,
    *compare(record) {
      const known = record.filter((exchange) => tokensOf(exchange) !== null && read(exchange) !== null);
      for (const alike of groupBy(known, (exchange) => read(exchange)?.beside ?? "").values()) {
        const prompts = [...groupBy(alike, (exchange) => JSON.stringify(read(exchange)?.parts)).values()].map((answers) =>
          promptOf(answers, read),
        );
        for (const longer of prompts) {
          const shorter = prompts
            .filter((one) => isWithin(one.parts, longer.parts, shares))
            .toSorted((one, other) => one.parts.length - other.parts.length)[0];
          if (shorter !== undefined) yield comparePrompts(longer, shorter);
        }
      }
    },
  };
}

function tokensOf({ usage }: ExchangeFacts): number | null {
  return usage?.promptTokens ?? null;
}

function promptOf(answers: readonly ExchangeFacts[], read: Grown["read"]): Prompt {
  const tokens = answers.map((exchange) => tokensOf(exchange) ?? 0);
  const [first] = answers;
  const parts = first === undefined ? [] : (read(first)?.parts ?? []);
  return { parts, seq: first?.seq ?? 0, least: Math.min(...tokens), most: Math.max(...tokens) };
}

function isWithin(part: readonly string[], whole: readonly string[], shares: Grown["shares"]): boolean {
  if (part.length >= whole.length) return false;
  const shared = shares === "end" ? whole.slice(-part.length) : whole.slice(0, part.length);
  return part.every((one, place) => one === shared[place]);
}

function comparePrompts(longer: Prompt, shorter: Prompt): Comparison {
  return {
    exchanges: [longer.seq, shorter.seq],
    isProven: true,
    holds: longer.most > shorter.least,
    expected: `more prompt tokens in #${longer.seq} than the ${shorter.least} of #${shorter.seq}, whose ${shorter.parts.length} parts it holds beside ${longer.parts.length - shorter.parts.length} more`,
    observed: `${longer.most}`,
  };
}
