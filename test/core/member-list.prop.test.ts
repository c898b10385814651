import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemberList, type Listed } from "../../src/core/member-list.ts";

describe("a member list", () => {
  it("holds what a set would hold, each member at the place it knows", () => {
    const step = fc.record({ number: fc.nat(12), joins: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const people = Array.from({ length: 13 }, (): Listed => ({ listPlace: -1 }));
        const list = createMemberList<Listed>();
        const expected = new Set<Listed>();
        for (const { number, joins } of steps) {
          const member = people[number]!;
          if (joins) {
            list.add(member);
            expected.add(member);
          } else {
            list.remove(member);
            expected.delete(member);
          }
          expect(new Set(list.members)).toEqual(expected);
          expect(list.members).toHaveLength(expected.size);
          for (const one of people) expect(one.listPlace).toBe(list.members.indexOf(one));
        }
      }),
    );
  });
});
