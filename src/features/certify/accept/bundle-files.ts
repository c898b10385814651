import { readContent, wholeText } from "../archive/read-content.ts";
import type { VerifiedBundle } from "../verify/verify-bundle.ts";
import type { RunFiles } from "../../../run/record/read-run.ts";

/** The files of the run in a verified bundle, read where they lie. */
export function bundleFiles({ members, predicate }: VerifiedBundle): RunFiles {
  return {
    place: "the bundle",
    text: async (name) => {
      const member = members.get(name);
      return member === undefined ? null : await wholeText(member);
    },
    chunks: (name) => {
      const member = members.get(`${name}.gz`);
      const content = predicate.contents.find((one) => one.name === name);
      return member === undefined || content === undefined ? null : readContent(member, content.bytes);
    },
  };
}
