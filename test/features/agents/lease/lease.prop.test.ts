import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLease, leaseMs } from "../../../../src/features/agents/lease/lease.ts";

/** A broker whose clock runs up to 500 millionths faster or slower, and an agent that is stopped for any time at any moment. */
describe("a lease", () => {
  it("never holds at an instant at which the broker has let it expire", () => {
    const steps = fc.array(
      fc.record({
        waitMs: fc.integer({ min: 0, max: 1500 }),
        /** Stopped while the answer is on its way. */
        stoppedMs: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 0, max: 50 }) }, fc.integer({ min: 0, max: 10_000 })),
        lost: fc.boolean(),
      }),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(steps, fc.double({ min: -500, max: 500, noNaN: true }), (life, drift) => {
        let now = 0;
        let brokerUntil = -Infinity;
        const lease = createLease(() => now);
        for (const { waitMs, stoppedMs, lost } of life) {
          const asked = now;
          now += 1;
          const alive = brokerUntil === -Infinity || now < brokerUntil;
          if (alive && !lost) brokerUntil = now + leaseMs / (1 + drift / 1e6);
          now += stoppedMs;
          if (alive && !lost) lease.extend(asked, leaseMs);
          for (let passed = 0; passed <= waitMs; passed += 100) {
            if (lease.holds() && now >= brokerUntil) return false;
            now += 100;
          }
        }
        return true;
      }),
    );
    expect(leaseMs).toBeLessThanOrEqual(3000);
  });

  it("is not there before it was granted, and never comes back", () => {
    let now = 0;
    const lease = createLease(() => now);
    expect(lease.holds()).toBe(false);
    lease.extend(0, leaseMs);
    expect(lease.holds()).toBe(true);
    // Stopped for 10 s: a grant that is found on waking up was given to a share that is lost.
    now = 10_000;
    lease.extend(9990, leaseMs);
    expect(lease.holds()).toBe(false);
    expect(lease.dropped).toBe("its lease of 3 s ran out");
    const other = createLease(() => now);
    other.extend(now, leaseMs);
    other.drop("by its operator");
    other.extend(now, leaseMs);
    expect(other.holds()).toBe(false);
  });
});
