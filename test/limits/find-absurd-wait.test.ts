import { expect, it } from "vitest";
import { findAbsurdWait } from "../../src/limits/verdict/find-absurd-wait.ts";
import { makeLimitOp } from "../make/exchanges/make-limit-op.ts";

const windowMs = 60_000;
const offset = { lowMs: 0, highMs: 0, split: false };

interface Refusal {
  readonly waitSeconds: number;
  /** When the window that refused is over, ms after the refusal was sent. */
  readonly resetMs?: number;
  /** How long the refusal took to be read. */
  readonly readMs?: number;
}

/** Whether no lawful limiter of a minute can name this wait. */
function isAbsurd({ waitSeconds, resetMs, readMs = 20 }: Refusal): boolean {
  const op = makeLimitOp(1, 1000, 1000 + readMs, {
    status: 429,
    outcome: "rejected",
    resetMs: resetMs === undefined ? null : 1000 + resetMs,
    retry: { seconds: waitSeconds },
  });
  return findAbsurdWait([op], { offset, windowMs, resetOf: ({ requests }) => requests.resetMs }) !== null;
}

it("a wait is absurd beyond ten windows", () => {
  expect(isAbsurd({ waitSeconds: 600 })).toBe(false);
  expect(isAbsurd({ waitSeconds: 601 })).toBe(true);
});

it("a wait is absurd where it ends more than a window and five minutes after the reset that its answer states", () => {
  expect(isAbsurd({ waitSeconds: 410, resetMs: 50_000 })).toBe(false);
  expect(isAbsurd({ waitSeconds: 411, resetMs: 50_000 })).toBe(true);
});

it("a reset that lies behind, or is that of a longer window, bounds nothing", () => {
  expect(isAbsurd({ waitSeconds: 590, resetMs: -1000 })).toBe(false);
  expect(isAbsurd({ waitSeconds: 590, resetMs: 121_000 })).toBe(false);
});

it("a refusal that was read late was decided when it was sent at the earliest", () => {
  expect(isAbsurd({ waitSeconds: 405, resetMs: 50_000, readMs: 40_000 })).toBe(false);
  expect(isAbsurd({ waitSeconds: 411, resetMs: 50_000, readMs: 40_000 })).toBe(true);
});
