import type { Requirement } from "../../../src/core/result/requirement.ts";

/** A statement that binds, less what the test changes. */
export function makeRequirement(changes: Partial<Requirement> = {}): Requirement {
  return {
    id: "T-001",
    suite: "core",
    level: "must",
    section: "S",
    specLines: [1],
    text: "the text of the row",
    how: ["active"],
    check: "c",
    reading: null,
    why: null,
    exclusion: null,
    ...changes,
  };
}
