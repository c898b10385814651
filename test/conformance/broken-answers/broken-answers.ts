import type { BrokenAnswer } from "./broken-answer.ts";
import { brokenBodies } from "./broken-bodies.ts";
import { brokenErrors } from "./broken-errors.ts";
import { brokenHeads } from "./broken-heads.ts";
import { brokenStreams } from "./broken-streams.ts";

/** Headings of the golden file, with the broken answers below each. */
export const brokenAnswers: Readonly<Record<string, readonly BrokenAnswer[]>> = {
  "Heads and framing": brokenHeads,
  Bodies: brokenBodies,
  Errors: brokenErrors,
  Streams: brokenStreams,
};
