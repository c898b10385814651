import { createAcceptanceJudge, framingRows } from "../../judging/acceptance-judge.ts";
import { showsOption } from "../../judging/option-labels.ts";
import type { RunJudge } from "../../judging/judge.ts";
import type { JsonObject } from "../../judging/json-value.ts";

/** Beside the prompt, only this member with this value. */
function names(member: string, value: string): (body: JsonObject) => boolean {
  return (body) => body[member] === value && Object.keys(body).every((name) => name === "prompt" || name === member);
}

/** Every documented form of an image request has to be accepted; none names a model (AMB-31). */
export const imageAcceptance: RunJudge = createAcceptanceJudge({
  id: "image-acceptance",
  endpoint: "images",
  capability: "SVC-005",
  rows: [
    {
      requirement: "IMG-001",
      what: "a prompt alone (the specification lists no model for images)",
      when: (body) => Object.keys(body).length === 1,
    },
    { requirement: "IMG-005", what: "a number of images", when: (body) => typeof body["n"] === "number" },
    { requirement: "IMG-009", what: "size 1024x1024", when: names("size", "1024x1024") },
    { requirement: "IMG-010", what: "size 1792x1024", when: names("size", "1792x1024") },
    { requirement: "IMG-011", what: "size 1024x1792", when: names("size", "1024x1792") },
    { requirement: "IMG-015", what: "quality standard", when: names("quality", "standard") },
    { requirement: "IMG-016", what: "quality hd", when: names("quality", "hd") },
    ...["spaced", "members-reversed"].map((option) => ({
      requirement: "IMG-031",
      what: `the option ${option}`,
      when: showsOption(option),
    })),
    ...framingRows,
  ],
});
