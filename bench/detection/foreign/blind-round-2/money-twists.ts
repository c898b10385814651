import type { Call } from "../reply.ts";
import { askedOf, type Twist } from "../twist.ts";

const keyIdOf = ({ url }: Call): string => decodeURIComponent(url.pathname.split("/").at(-1) ?? "");

/** Mistakes in caps and settings. */
export const moneyTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind2/cap-zero-unlimited",
    says: "a monthly_spend_cap of 0 is no cap",
    lines: "84, 230",
    make: () => ({
      open(book) {
        const capOf = book.capOf.bind(book);
        book.capOf = (name) => {
          const settings = book.holders.get(name)?.settings;
          if (settings?.monthly_spend_cap !== 0) return capOf(name);
          settings.monthly_spend_cap = null;
          const reached = capOf(name);
          settings.monthly_spend_cap = 0;
          return reached;
        };
      },
    }),
  },
  {
    id: "blind2/cap-unit-dollar",
    says: "a monthly_spend_cap that is set through the interface is taken for whole dollars",
    lines: "84",
    make: () => ({
      answer(call, { status }, { book }) {
        const cap = call.endpoint === "key" && status === 204 ? askedOf(call)?.["monthly_spend_cap"] : null;
        const holder = [...book.holders.values()].find(({ id }) => id === keyIdOf(call));
        if (typeof cap === "number" && holder !== undefined) holder.settings.monthly_spend_cap = cap * 100;
      },
    }),
  },
  {
    id: "blind2/cap-wait-elapsed",
    says: "retry_after_ms is the time since the billing cycle began and not the time until it ends",
    lines: "209, 230, 232",
    make: () => ({
      open(book) {
        const left = book.cycleLeftMs.bind(book);
        book.cycleLeftMs = () => {
          const begun = new Date(book.nowMs() + left());
          begun.setUTCMonth(begun.getUTCMonth() - 1);
          return Math.max(1, Math.round(book.nowMs() - begun.getTime()));
        };
      },
    }),
  },
  {
    id: "blind2/cap-booked-to-last-key",
    says: "the cost of an answer is booked to the key whose request arrived last, also where that is another one",
    lines: "84, 230",
    make: () => {
      let last: string | null = null;
      return {
        open(book) {
          const spend = book.spend.bind(book);
          book.spend = (holder, organization, what) => {
            spend(last ?? holder, organization, what);
          };
        },
        arrive(call) {
          last = call.holder ?? last;
        },
      };
    },
  },
  {
    id: "blind2/account-change-lifts-key-caps",
    says: "a change of account_spend_cap lifts the caps of all keys",
    lines: "84, 168, 230, 231",
    make: () => ({
      answer(call, { status }, { book }) {
        if (call.endpoint !== "account" || status !== 204) return;
        for (const { organization, settings } of book.holders.values()) {
          if (organization === "own") settings.monthly_spend_cap = null;
        }
      },
    }),
  },
  {
    id: "blind2/settings-foreign-late",
    says: "the 404 for a key of another workspace comes 300 ms later than that for one that does not exist",
    lines: "202",
    make: () => ({
      work(call, { book }) {
        if (call.endpoint !== "key") return;
        const named = [...book.holders.values()].find(({ id }) => id === keyIdOf(call));
        if (named === undefined || named.organization === "own") return;
        const { response } = call;
        const end = response.end.bind(response);
        response.end = (body?: unknown): typeof response => {
          setTimeout(() => end(body), 300);
          return response;
        };
      },
    }),
  },
];
