import { groupBy } from "../../../core/group-by.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { Comparison, Relation } from "./relation.ts";

interface Stated extends Omit<Relation, "compare"> {
  /** The same for all answers that are compared; null: not compared. */
  readonly alike: (exchange: ExchangeFacts) => string | null;
  /** The forms that are held against each other. */
  readonly differs: (exchange: ExchangeFacts) => string;
  /** null: the answer does not say. */
  readonly read: (exchange: ExchangeFacts) => string | number | null;
}

/**
 * Answers that may differ in one respect state the same. A value that varies within one form, as where a service adds the time to each
 * prompt, proves nothing: forms are compared that are the same within themselves, and the two must have no value in common.
 */
export function statedAlike({ alike, differs, read, ...relation }: Stated): Relation {
  return {
    ...relation,
    *compare(record) {
      const known = record.filter((exchange) => exchange.isSuccess && alike(exchange) !== null && read(exchange) !== null);
      for (const answers of groupBy(known, (exchange) => alike(exchange) ?? "").values()) {
        const forms = [...groupBy(answers, differs)];
        const [usual] = forms;
        for (const form of forms.slice(1)) if (usual !== undefined) yield compareForms(usual, form, read);
      }
    },
  };
}

type Form = readonly [name: string, answers: readonly ExchangeFacts[]];

function compareForms([usual, plain]: Form, [form, others]: Form, read: Stated["read"]): Comparison {
  const values = new Set(plain.map(read));
  const found = others.map(read);
  const holds = values.size > 1 || new Set(found).size > 1 || found.some((value) => values.has(value));
  const [one, other] = [plain[0], others[0]];
  return {
    exchanges: [other?.seq ?? 0, one?.seq ?? 0, ...others.slice(1, 2).map(({ seq }) => seq)],
    isProven: true,
    holds,
    expected: `${[...values].join(" or ")}, as #${one?.seq} (${usual}) states`,
    observed: `${found[0]} in #${other?.seq} (${form})`,
  };
}
