import type { Manifest } from "../../src/core/manifest.ts";
import { afterContinue, inChunks } from "../requests/framings.ts";
import type { Members } from "../requests/members.ts";
import type { Notation } from "./write-json.ts";

/** A request in the making. */
export interface Draft {
  readonly members: Members;
  readonly notation: Notation;
  readonly contentType: string;
  /** Fields that state another framing of the body. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One value of an option. `name` stands in the label of the request; null: the usual one. */
export interface Level {
  readonly name: string | null;
  readonly change: (draft: Draft, manifest: Manifest) => Draft;
}

/** An option of an operation; `feature`: the manifest may say that the target lacks it, and then the usual level stands for all. */
export interface Dimension {
  readonly levels: readonly [Level, ...Level[]];
  readonly feature?: string;
}

/** The level that changes nothing. */
export const usualLevel: Level = { name: null, change: (draft) => draft };

export function memberLevel(name: string, members: Members): Level {
  return { name, change: (draft) => ({ ...draft, members: { ...draft.members, ...members } }) };
}

export const notations: Dimension = {
  levels: [
    usualLevel,
    ...(["spaced", "members-reversed", "escaped"] as const).map((notation): Level => ({
      name: notation,
      change: (draft) => ({ ...draft, notation }),
    })),
  ],
};

const framed = (name: string, headers: Draft["headers"]): Level => ({ name, change: (draft) => ({ ...draft, headers }) });

/** A body without a stated length. */
export const chunked: Dimension = { levels: [usualLevel, framed("chunked", inChunks)] };

/** Ways to send one body. */
export const framings: Dimension = { levels: [...chunked.levels, framed("expect-continue", afterContinue)] };
