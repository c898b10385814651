import { type Dimension, type Draft, type Level, memberLevel, notations, usualLevel } from "./dimension.ts";

/** Texts of a list: two of them are equal where there are more than two. */
const texts = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, place) => `Note ${count > 2 && place === count - 1 ? 2 : place + 1}.`);

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
      // Services work on long lists in parts.
      ...[1, 2, 65].map((count) => memberLevel(`list-of-${count}`, { input: texts(count) })),
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
