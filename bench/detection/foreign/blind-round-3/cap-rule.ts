import type { AccountBook, Spent } from "../account-book.ts";

/** The part of one record that a cap counts, in millionths of a dollar. */
type Weigh = (one: Spent, asking: string) => number;

const all: Weigh = (one) => one.microDollars;

/** Caps by other sums; all that this service has on record was spent in the running cycle. */
export function capBy(book: AccountBook, { ofKey = all, ofAccount = all }: { ofKey?: Weigh; ofAccount?: Weigh }): void {
  book.capOf = (name) => {
    const holder = book.holders.get(name);
    if (holder === undefined) return null;
    const sum = (those: (one: Spent) => boolean, weigh: Weigh): number =>
      book.spent.filter(those).reduce((total, one) => total + weigh(one, name), 0);
    const cap = holder.settings.monthly_spend_cap;
    if (cap !== null && sum((one) => one.holder === name, ofKey) >= cap * 10_000) return "monthly_spend";
    const ceiling = holder.organization === "own" ? book.accountCap : null;
    return ceiling !== null && sum((one) => one.organization === "own", ofAccount) >= ceiling * 10_000 ? "account_spend" : null;
  };
}
