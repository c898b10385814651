import type { Settings } from "../account-book.ts";
import type { Twist } from "../twist.ts";

/** Mistakes in rate-limit fields, limits, bursts and cooldowns. */
export const limitTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind3/rate-remaining-full-on-429",
    says: "a request that the limit refuses reports the whole limit as remaining",
    lines: "204, 220",
    make: () => ({
      answer({ reading }, answer) {
        if (answer.status !== 429 || reading === null || reading.left >= 0) return;
        answer.heads = { ...answer.heads, "X-RateLimit-Remaining-Requests": String(reading.limit) };
      },
    }),
  },
  {
    id: "blind3/rate-remaining-in-steps",
    says: "the remaining requests are looked up at every fourth request of a key to an endpoint and repeated in between",
    lines: "215, 220",
    make: () => {
      const seen = new Map<string, { count: number; left: number }>();
      return {
        work(call) {
          if (call.reading === null) return;
          const key = `${call.holder} ${call.endpoint}`;
          const one = seen.get(key) ?? { count: 0, left: 0 };
          seen.set(key, one);
          if (one.count % 4 === 0) one.left = call.reading.left;
          one.count += 1;
          call.reading = { ...call.reading, left: one.left };
        },
      };
    },
  },
  {
    id: "blind3/limit-shared-by-keys",
    says: "all keys of an organization that have the same limit draw on one window for each endpoint",
    lines: "215",
    make: () => ({
      open(book) {
        const [count, useTokens] = [book.count.bind(book), book.useTokens.bind(book)];
        const firstOf = (name: string): string => {
          const own = book.holders.get(name);
          const known = [...book.holders].find(([, { organization, perMinute }]) => {
            return organization === own?.organization && perMinute === own.perMinute;
          });
          return known?.[0] ?? name;
        };
        book.count = (name, endpoint, uses) => count(firstOf(name), endpoint, uses);
        book.useTokens = (name, endpoint, tokens): void => useTokens(firstOf(name), endpoint, tokens);
      },
    }),
  },
  {
    id: "blind3/limit-overlapping-pass",
    says: "a request that arrives while another of its key to its endpoint is in flight is never refused by the limit",
    lines: "204, 215, 226",
    make: () => {
      const inFlight = new Map<string, number>();
      return {
        open(book) {
          const count = book.count.bind(book);
          book.count = (name, endpoint, uses) => {
            const reading = count(name, endpoint, uses);
            const overlaps = (inFlight.get(`${name} ${endpoint}`) ?? 0) > 1;
            return overlaps ? { ...reading, left: Math.max(0, reading.left) } : reading;
          };
        },
        arrive({ holder, endpoint, response }) {
          const key = `${holder} ${endpoint}`;
          inFlight.set(key, (inFlight.get(key) ?? 0) + 1);
          response.on("close", () => inFlight.set(key, (inFlight.get(key) ?? 1) - 1));
        },
      };
    },
  },
  {
    id: "blind3/cooldown-in-milliseconds",
    says: "cooldown_seconds is taken for milliseconds, so that a key is let in again almost at once",
    lines: "87, 236",
    make: () => ({
      open(book) {
        const cools = book.cools.bind(book);
        book.cools = (name) => {
          const holder = book.holders.get(name);
          const seconds = holder?.settings.cooldown_seconds ?? null;
          if (holder === undefined || seconds === null) return cools(name);
          const { settings } = holder;
          holder.settings = { ...settings, cooldown_seconds: seconds / 1000 };
          const leftMs = cools(name);
          holder.settings = settings;
          return leftMs;
        };
      },
    }),
  },
  {
    id: "blind3/burst-enforced-once",
    says: "after its first cooldown a key is not held to its burst limit again until its settings are changed",
    lines: "86, 236",
    make: () => ({
      open(book) {
        const cools = book.cools.bind(book);
        const cooled = new Map<string, { settings: Settings; untilMs: number }>();
        book.cools = (name) => {
          const settings = book.holders.get(name)?.settings;
          const past = cooled.get(name);
          if (past !== undefined && past.settings === settings && book.nowMs() >= past.untilMs) return 0;
          const leftMs = cools(name);
          if (leftMs > 0 && settings !== undefined && past?.settings !== settings) {
            cooled.set(name, { settings, untilMs: book.nowMs() + leftMs });
          }
          return leftMs;
        };
      },
    }),
  },
];
