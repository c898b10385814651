import type { Reading, Settings } from "../account-book.ts";
import { type Call, refuse } from "../reply.ts";
import { bagOf, type Twist } from "../twist.ts";
import { burstRule } from "./burst-rule.ts";

const keyIdOf = ({ url }: Call): string => decodeURIComponent(url.pathname.split("/").at(-1) ?? "");

/** Mistakes in rate limits, caps, bursts and settings. */
export const limitTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind1/rate-shared-by-endpoints",
    says: "all endpoints share one window of a key",
    lines: "215",
    make: () => ({
      open(book) {
        const count = book.count.bind(book);
        const useTokens = book.useTokens.bind(book);
        book.count = (name, _endpoint, uses) => count(name, "all", uses);
        book.useTokens = (name, _endpoint, tokens) => {
          useTokens(name, "all", tokens);
        };
      },
    }),
  },
  {
    id: "blind1/rate-fields-of-another-at-once",
    says: "while requests are in flight together, the rate-limit fields are those of the one that came last",
    lines: "215, 219, 220",
    make: () => {
      const worked = new WeakSet<object>();
      let latest: Reading | null = null;
      return {
        work(call) {
          worked.add(call.request);
          latest = call.reading;
        },
        answer(call) {
          if (worked.has(call.request)) call.reading = latest;
        },
      };
    },
  },
  {
    id: "blind1/limit-one-too-many",
    says: "one request more than the limit is served in a window",
    lines: "219, 220, 226",
    make: () => ({
      open(book) {
        const count = book.count.bind(book);
        book.count = (name, endpoint, uses) => {
          const reading = count(name, endpoint, uses);
          return reading.left === -1 ? { ...reading, left: 0 } : reading;
        };
      },
    }),
  },
  {
    id: "blind1/limit-wait-always-one",
    says: "the wait at a rate limit is always 1 second, however long the window lasts",
    lines: "209, 226",
    make: () => ({
      answer(_call, answer) {
        const body = bagOf(answer.value);
        if (answer.status === 429 && bagOf(body["error"])["code"] === "slow_down") answer.value = { ...body, "retry-after": 1 };
      },
    }),
  },
  {
    id: "blind1/ceiling-overridden-by-own-cap",
    says: "the ceiling of the account does not bind keys that have a cap of their own",
    lines: "231",
    make: () => ({
      open(book) {
        const capOf = book.capOf.bind(book);
        book.capOf = (name) => {
          const ceiling = book.accountCap;
          if ((book.holders.get(name)?.settings.monthly_spend_cap ?? null) !== null) book.accountCap = null;
          const reached = capOf(name);
          book.accountCap = ceiling;
          return reached;
        };
      },
    }),
  },
  {
    id: "blind1/cap-wait-in-seconds",
    says: "retry_after_ms holds seconds",
    lines: "209, 232",
    make: () => ({
      answer(_call, answer) {
        const body = bagOf(answer.value);
        if (body["error"] !== "quota_exceeded") return;
        answer.value = { ...body, retry_after_ms: Math.ceil(Number(body["retry_after_ms"]) / 1000) };
      },
    }),
  },
  {
    id: "blind1/burst-per-endpoint",
    says: "the burst allowance is counted for each endpoint on its own",
    lines: "86, 236",
    make: () => {
      let endpoint = "";
      return {
        open(book) {
          burstRule(book, { keyOf: (name) => `${name} ${endpoint}` });
        },
        arrive(call) {
          ({ endpoint } = call);
        },
      };
    },
  },
  {
    id: "blind1/cooldown-restarts",
    says: "each request during the cooldown begins it anew",
    lines: "87, 236",
    make: () => ({
      open(book) {
        burstRule(book, { restarts: true });
      },
    }),
  },
  {
    id: "blind1/settings-last-key-alone",
    says: "settings hold for the key that was changed last; others fall back to their first ones",
    lines: "164",
    make: () => {
      const first = new Map<string, Settings>();
      let last: string | undefined;
      return {
        open(book) {
          for (const { id, settings } of book.holders.values()) first.set(id, settings);
        },
        answer(call, { status }, { book }) {
          if (call.endpoint !== "key" || status !== 204) return;
          const id = keyIdOf(call);
          for (const holder of book.holders.values()) {
            const settings = first.get(holder.id);
            if (holder.id === last && last !== id && settings !== undefined) holder.settings = settings;
          }
          last = id;
        },
      };
    },
  },
  {
    id: "blind1/settings-foreign-validated-first",
    says: "an invalid body is answered 422 for a foreign identifier and 404 for one that does not exist",
    lines: "202",
    make: () => ({
      work(call, desk) {
        if (call.endpoint !== "key" || [...desk.book.holders.values()].some(({ id }) => id === keyIdOf(call))) return false;
        refuse(desk, call, 404, "no_such_key");
        return true;
      },
    }),
  },
];
