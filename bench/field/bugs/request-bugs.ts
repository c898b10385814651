import type { FieldBug } from "../field-bug.ts";
import { lawfulRules } from "../engine/field-rules.ts";
import { newWindow, windowFromFirst } from "../engine/window-from-first.ts";

const claimOf =
  (name: string): FieldBug["broken"] =>
  () => ({
    counterOf: (call) => `${lawfulRules.counterOf(call)} ${String(call.headers[name] ?? "")}`,
  });

/** Limiters of requests: identity, counting, races, windows. */
export const requestBugs: readonly FieldBug[] = [
  {
    reference: "long2ice/fastapi-limiter#10",
    says: "any other X-Forwarded-For is another client",
    stage: "limits",
    broken: claimOf("x-forwarded-for"),
  },
  {
    reference: "avahowell/reqlimit#2",
    says: "any other X-Real-IP is another client",
    stage: "limits",
    broken: claimOf("x-real-ip"),
  },
  {
    reference: "JhaSourav07/commitpulse#5894",
    says: "get and set of a counter are two steps of the fallback store: requests that come together are counted once",
    stage: "limits",
    broken: () => ({ writeBackTurns: 3 }),
  },
  {
    reference: "TerminalWitchcraft/actix-ratelimit#16",
    says: "the count is asked first and lowered later: all that come together are let in",
    stage: "limits",
    broken: () => ({ addsLate: 3 }),
  },
  {
    reference: "Ganesh-403/semantic-plagiarism-detector#2178",
    says: "the first request of a window is counted twice",
    stage: "limits",
    missed: "a bucket that holds one less and refills in batches shows the same",
    broken: () => ({ first: 2 }),
  },
  {
    reference: "avoidwork/tenso#17",
    says: "the first request after a reset is free",
    stage: "limits",
    broken: () => ({ first: 0 }),
  },
  {
    reference: "jeremy/rack-ratelimit#3",
    says: "remaining is one too high, and -1 at the end",
    stage: "limits",
    broken: () => ({
      limitFields: (fields, { window, refused }) => ({
        ...fields,
        "x-ratelimit-remaining-requests": String(refused ? -1 : 61 - window.count),
      }),
    }),
  },
  {
    reference: "ded/express-limiter#16",
    says: "the last request that remains is refused",
    stage: "limits",
    missed: "a burst limit that the manifest does not know may refuse while something is left",
    broken: () => ({ admits: ({ count }, limit) => count < limit - 1 }),
  },
  {
    reference: "discord/discord-api-docs#122",
    says: "a request takes two off remaining at first, and 0 remain twice",
    stage: "limits",
    broken: () => ({
      limitFields: (fields, { window }) => ({
        ...fields,
        "x-ratelimit-remaining-requests": String(Math.max(0, 59 - window.count)),
      }),
    }),
  },
  {
    reference: "apache/shenyu#6649",
    says: "each request renews the life of the counter, which never ends under steady traffic",
    stage: "limits",
    broken: () => ({
      windowAt: (known, nowMs, windowMs) => {
        if (known === undefined || nowMs >= known.endMs) return newWindow(nowMs, windowMs);
        known.endMs = nowMs + windowMs;
        return known;
      },
    }),
    mended: () => ({ windowAt: windowFromFirst }),
  },
  {
    reference: "express-rate-limit/rate-limit-redis#216",
    says: "the time to live is renewed and the count stays",
    stage: "limits",
    broken: () => {
      let ends = 0;
      return {
        windowAt: (known, nowMs, windowMs) => {
          if (known === undefined) return newWindow(nowMs, windowMs);
          if (nowMs < known.endMs) return known;
          ends += 1;
          return { ...newWindow(nowMs, windowMs), count: ends % 2 === 1 ? known.count : 0, tokens: 0 };
        },
      };
    },
    mended: () => ({ windowAt: windowFromFirst }),
  },
  {
    reference: "unkeyed/unkey#4492",
    says: "requests are counted for ever, not for 60 seconds",
    stage: "limits",
    broken: () => ({
      windowAt: (known, nowMs, windowMs) => ({
        ...lawfulRules.windowAt(undefined, nowMs, windowMs),
        count: known?.count ?? 0,
        tokens: known?.tokens ?? 0,
      }),
    }),
  },
  {
    reference: "lsst-sqre/gafaelfawr#1321",
    says: "the service is not part of the counter: all endpoints of a key share one",
    stage: "limits",
    broken: () => ({ counterOf: ({ key }) => key }),
  },
  {
    reference: "JhaSourav07/commitpulse#5427",
    says: "one counter for everybody, whatever the key",
    stage: "limits",
    broken: () => ({ counterOf: ({ operation }) => operation }),
  },
  {
    reference: "express-rate-limit/express-rate-limit#647",
    says: "a failed request that began in one window and ends in the next is taken off the new count, which goes below zero",
    stage: "limits",
    missed: "no failing request is under way across the end of a window",
    broken: () => ({ countsFailed: "until-they-end" }),
    mended: () => ({ countsFailed: "in-their-window" }),
  },
  {
    reference: "BerriAI/litellm#2730",
    says: "each of three replicas counts for itself: three times the limit is let in",
    stage: "limits",
    broken: () => ({ counterOf: (call) => `${lawfulRules.counterOf(call)} ${(call.number * 7919) % 3}` }),
  },
  {
    reference: "liwala/ay-framework#375",
    says: "one request more than the limit is let in",
    stage: "limits",
    broken: () => ({ admits: ({ count }, limit) => count <= limit }),
  },
  {
    reference: "apache/shenyu#6645",
    says: "a store that fails lets requests through, uncounted",
    stage: "limits",
    broken: () => ({
      admits: ({ count }, limit, { number }) => count < limit || number % 5 === 0,
      weight: ({ number }) => (number % 5 === 0 ? 0 : 1),
    }),
  },
  {
    reference: "TykTechnologies/tyk#7941",
    says: "the fields of the limit are those of the quota: 10,000 a day beside 30 a minute that are enforced",
    stage: "limits",
    broken: () => {
      let used = 0;
      return {
        limit: 30,
        limitFields: (fields, { nowMs, refused }) => ({
          ...fields,
          "x-ratelimit-limit-requests": "10000",
          "x-ratelimit-remaining-requests": String(10_000 - (used += refused ? 0 : 1)),
          "x-ratelimit-reset-requests": String((Math.floor(nowMs / 86_400_000) + 1) * 86_400),
        }),
      };
    },
    mended: () => ({ limit: 30 }),
  },
];
