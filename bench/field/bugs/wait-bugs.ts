import type { FieldAnswer } from "../engine/field-rules.ts";
import { slidingLog } from "../engine/sliding-log.ts";
import { windowFromFirst } from "../engine/window-from-first.ts";
import type { FieldBug } from "../field-bug.ts";

/** A refusal that states this wait in both places. */
function waiting(answer: FieldAnswer, value: number): FieldAnswer {
  return { ...answer, headers: { "retry-after": String(value) }, body: { ...(answer.body as object), "retry-after": value } };
}

const resetAs =
  (show: (endMs: number, nowMs: number) => number): FieldBug["broken"] =>
  () => ({
    limitFields: (fields, { window, nowMs }) => {
      const reset = String(show(window.endMs, nowMs));
      return { ...fields, "x-ratelimit-reset-requests": reset, "x-ratelimit-reset-tokens": reset };
    },
  });

/** Waits and resets that are not as they say. */
export const waitBugs: readonly FieldBug[] = [
  {
    reference: "fastify/fastify-rate-limit#301",
    says: "Retry-After is the whole window in milliseconds",
    stage: "limits",
    broken: () => ({ refusal: (answer) => waiting(answer, 60_000) }),
  },
  {
    reference: "openclaw/clawhub#407",
    says: "Retry-After is the instant of the reset in Unix seconds",
    stage: "limits",
    broken: () => ({ refusal: (answer, { window }) => waiting(answer, Math.ceil(window.endMs / 1000)) }),
  },
  {
    reference: "utksh1/SecuScan#1838",
    says: "the reset is a number of seconds to wait",
    stage: "limits",
    broken: resetAs((endMs, nowMs) => Math.ceil((endMs - nowMs) / 1000)),
  },
  { reference: "ivolo/express-rate#2", says: "the reset is in milliseconds", stage: "limits", broken: resetAs((endMs) => endMs) },
  {
    reference: "limitd/limitd#18",
    says: "the reset is an instant in minutes",
    stage: "limits",
    broken: resetAs((endMs) => Math.floor(endMs / 60_000)),
  },
  {
    reference: "tj/node-ratelimiter#36",
    says: "the reset is always the same instant",
    stage: "limits",
    broken: resetAs(() => 1_499_329_365),
  },
  {
    reference: "theopenco/llmgateway#3769",
    says: "some refusals have no rate limit headers",
    stage: "limits",
    broken: () => {
      let refusals = 0;
      return { limitFields: (fields, { refused }) => (refused && (refusals += 1) % 2 === 0 ? {} : fields) };
    },
  },
  {
    reference: "SandeepVashishtha/Eventra#9318",
    says: "each refusal renews the life of the counter: a client that keeps asking stays locked out",
    stage: "limits",
    broken: () => ({
      windowAt: windowFromFirst,
      refused: (window, _call, nowMs) => void (window.endMs = nowMs + 60_000),
    }),
    mended: () => ({ windowAt: windowFromFirst }),
  },
  {
    reference: "futurestudio/hapi-rate-limitor#262",
    says: "refused requests count as well: under steady load above the limit nothing is let in after the first window",
    stage: "limits",
    broken: () => slidingLog("all"),
    mended: () => slidingLog("served"),
  },
];
