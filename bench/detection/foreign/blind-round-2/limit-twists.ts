import type { AccountBook, Reading } from "../account-book.ts";
import { bagOf, type Twist } from "../twist.ts";
import { burstRule } from "../blind-round-1/burst-rule.ts";

/** Once a limit was exceeded, the key is held back for five seconds more than the reset said. */
function holdBackLonger(book: AccountBook): void {
  const count = book.count.bind(book);
  const untilMs = new Map<string, number>();
  book.count = (name, endpoint, uses): Reading => {
    const reading = count(name, endpoint, uses);
    const key = `${name} ${endpoint}`;
    const heldMs = untilMs.get(key) ?? 0;
    const nowMs = book.nowMs();
    if (heldMs > nowMs) return reading.left < 0 ? reading : { ...reading, left: -1, resetMs: heldMs };
    if (uses > 0 && reading.left < 0) untilMs.set(key, reading.resetMs + 5000);
    return reading;
  };
}

/** Mistakes in rate limits, bursts and cooldowns. */
export const limitTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind2/rate-errors-of-starter",
    says: "errors state the limit of the Starter plan, 60, whatever the limit of the key is",
    lines: "215, 219, 220",
    make: () => ({
      answer(call, { status }) {
        if (status >= 400 && call.reading !== null) {
          call.reading = { ...call.reading, limit: 60, left: Math.min(59, call.reading.left) };
        }
      },
    }),
  },
  {
    id: "blind2/rate-tokens-copy-requests",
    says: "x-ratelimit-remaining-tokens holds the number of requests that remain",
    lines: "223",
    make: () => ({
      work(call) {
        if (call.reading !== null) call.reading = { ...call.reading, tokensLeft: call.reading.left };
      },
      answer(call) {
        if (call.reading !== null) call.reading = { ...call.reading, tokensLeft: Math.max(0, call.reading.left) };
      },
    }),
  },
  {
    id: "blind2/rate-fields-twice",
    says: "a gateway adds its own limit and remainder to JSON answers, so that both fields stand there twice with two values",
    lines: "219, 220",
    make: () => {
      let count = 0;
      return {
        answer(call, answer) {
          if (call.reading === null) return;
          count += 1;
          // Names in another case are further fields to node:http.
          answer.heads = {
            ...answer.heads,
            "x-ratelimit-limit-requests": "100000",
            "x-ratelimit-remaining-requests": String(100_000 - count),
          };
        },
      };
    },
  },
  {
    id: "blind2/limit-lasts-beyond-reset",
    says: "a key that exceeded its limit is refused for five seconds beyond the reset that was stated",
    lines: "209, 221, 226",
    make: () => ({ open: holdBackLonger }),
  },
  {
    id: "blind2/burst-per-second",
    says: "burst_limit counts the requests of one second and not of a minute",
    lines: "86, 236",
    make: () => ({
      open(book) {
        burstRule(book, { windowMs: 1000 });
      },
    }),
  },
  {
    id: "blind2/cooldown-all-keys",
    says: "the cooldown of one key holds back all keys",
    lines: "87, 236",
    make: () => ({
      open(book) {
        const cools = book.cools.bind(book);
        let untilMs = 0;
        book.cools = (name) => {
          const nowMs = book.nowMs();
          if (untilMs <= nowMs) untilMs = nowMs + cools(name);
          return untilMs - nowMs;
        };
      },
    }),
  },
  {
    id: "blind2/cooldown-wait-of-window",
    says: "the wait at a cooldown is always 60 seconds, however short cooldown_seconds is",
    lines: "87, 209, 236",
    make: () => ({
      answer(_call, answer) {
        const body = bagOf(answer.value);
        if (answer.status === 429 && bagOf(body["error"])["code"] === "cooling_down") {
          answer.value = { ...body, "retry-after": 60 };
        }
      },
    }),
  },
];
