import { type Dimension, type Draft, type Level, memberLevel, notations, usualLevel } from "./dimension.ts";

const texts = ["The river is calm.", "Engines need oil.", "Seven is a prime number."];

function withText(name: string, text: string): Level {
  const change = (draft: Draft): Draft => {
    const { input } = draft.members;
    const changed = Array.isArray(input) ? [text, ...(input as readonly unknown[]).slice(1)] : text;
    return { ...draft, members: { ...draft.members, input: changed } };
  };
  return { name, change };
}

/** The options of an embeddings request. `dimensions` is asked for by a case of its own: not each number is one that a model takes. */
export const embeddingOptions: readonly Dimension[] = [
  {
    levels: [
      usualLevel,
      memberLevel("list-of-one", { input: texts.slice(0, 1) }),
      memberLevel("list", { input: texts }),
      memberLevel("list-with-equal-texts", { input: [...texts, ...texts.slice(1)] }),
    ],
  },
  {
    levels: [
      usualLevel,
      withText("other-scripts", "Grüße, שלום, 你好, e\u0301, 👩‍🚀."),
      withText("controls-and-quotes", "The\r\n\"river\"\tis \\ 'calm'.\n"),
    ],
  },
  { levels: [usualLevel, ...["float", "base64"].map((value) => memberLevel(value, { encoding_format: value }))] },
  notations,
];
