import { expect, it } from "vitest";
import { neededRequests } from "../../../src/load/capacity/needed-requests.ts";

it("the requests that a search needs are rounded up, and never below those that were not enough", () => {
  const interval = (half: number): { value: number; low: number; high: number } => ({
    value: 100,
    low: 100 - half,
    high: 100 + half,
  });
  expect(neededRequests(interval(12), { requests: 1000, precision: 0.1 })).toBe(1500);
  expect(neededRequests(interval(10.5), { requests: 1250, precision: 0.1 })).toBe(1400);
  expect(neededRequests(interval(40), { requests: 3, precision: 0.1 })).toBe(48);
  expect(neededRequests(interval(10), { requests: 1000, precision: 0.1 })).toBeNull();
});
