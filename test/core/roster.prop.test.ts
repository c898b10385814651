import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRoster, type Rostered } from "../../src/core/roster.ts";

describe("a roster", () => {
  it("holds what a set would hold, each member at the place it knows", () => {
    const step = fc.record({ number: fc.nat(12), joins: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const people = Array.from({ length: 13 }, (): Rostered => ({ rosterPlace: -1 }));
        const roster = createRoster<Rostered>();
        const expected = new Set<Rostered>();
        for (const { number, joins } of steps) {
          const member = people[number]!;
          if (joins) {
            roster.add(member);
            expected.add(member);
          } else {
            roster.remove(member);
            expected.delete(member);
          }
          expect(new Set(roster.members)).toEqual(expected);
          expect(roster.members).toHaveLength(expected.size);
          for (const one of people) expect(one.rosterPlace).toBe(roster.members.indexOf(one));
        }
      }),
    );
  });
});
