import { groupBy } from "../../../core/group-by.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { Comparison, Relation } from "./relation.ts";

interface Grown extends Omit<Relation, "compare"> {
  /** The parts that a model reads, in order, and what must be equal beside them; null: not compared. */
  readonly read: (exchange: ExchangeFacts) => { readonly beside: string; readonly parts: readonly string[] } | null;
  /** The end at which the parts of the shorter request stand in the longer one. */
  readonly shares: "beginning" | "end";
}

/** An answer that states its tokens, and what was asked. */
interface Asked {
  readonly exchange: ExchangeFacts;
  readonly parts: readonly string[];
}

interface Prompt {
  readonly parts: readonly string[];
  readonly seq: number;
  /** Of all answers to this prompt. */
  readonly least: number;
  readonly most: number;
  /** Whether an answer states tokens that came from a cache. */
  readonly isCached: boolean;
}

/**
 * A prompt that holds another one and a new part has more tokens. The most that any answer states of the longer is held against the
 * least of the shorter, as a service may add words. A service that leaves cached tokens out of its count shows so: one prompt has two
 * counts, or none at all; nothing is compared there. A part that is repeated may be read once.
 */
export function growingPrompts({ read, shares, ...relation }: Grown): Relation {
  return {
    ...relation,
    *compare(record) {
      const known = record.flatMap((exchange) => {
        const asked = tokensOf(exchange) === null ? null : read(exchange);
        return asked === null ? [] : [{ exchange, ...asked }];
      });
      for (const alike of groupBy(known, ({ beside }) => beside).values()) {
        const prompts = [...groupBy(alike, ({ parts }) => JSON.stringify(parts)).values()].map(promptOf);
        if (prompts.some(leavesOutCached)) continue;
        for (const longer of prompts) {
          const shorter = prompts
            .filter((one) => isWithin(one.parts, longer.parts, shares) && hasNewPart(longer, one))
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

/** Of all answers to one prompt. */
function promptOf(answers: readonly Asked[]): Prompt {
  const tokens = answers.map(({ exchange }) => tokensOf(exchange) ?? 0);
  const [first] = answers;
  const isCached = answers.some(({ exchange }) => (exchange.usage?.cachedTokens ?? 0) > 0);
  return {
    parts: first?.parts ?? [],
    seq: first?.exchange.seq ?? 0,
    least: Math.min(...tokens),
    most: Math.max(...tokens),
    isCached,
  };
}

/** Tokens are left out of the count, perhaps those that came from a cache. */
function leavesOutCached({ least, most, isCached }: Prompt): boolean {
  return isCached || least !== most || most === 0;
}

function hasNewPart(longer: Prompt, shorter: Prompt): boolean {
  return longer.parts.some((part) => !shorter.parts.includes(part));
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
