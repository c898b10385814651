/** The text of a tokenizer.json, as SentencePiece models are published: spaces are part of the word, each word of the list one token. */
export function smallTokenizer(
  words: readonly string[],
  change: { readonly merges?: readonly (readonly [string, string])[]; readonly preTokenizer?: object } = {},
): string {
  const pieces = new Set(["<unk>", "▁", ..."a b c d e f g h i j k l m n o p q r s t u v w x y z".split(" ")]);
  const merges: (readonly [string, string])[] = [];
  const add = (left: string, right: string): void => {
    if (pieces.has(left + right)) return;
    pieces.add(left + right);
    merges.push([left, right]);
  };
  for (const word of words)
    for (let length = 1; length < word.length; length += 1) add(word.slice(0, length), word.slice(length, length + 1));
  for (const word of words) add("▁", word);
  for (const [left, right] of change.merges ?? []) add(left, right);
  const vocab = Object.fromEntries([...pieces].map((piece, id) => [piece, id]));
  return JSON.stringify({
    version: "1.0",
    added_tokens: [],
    normalizer: {
      type: "Sequence",
      normalizers: [
        { type: "Prepend", prepend: "▁" },
        { type: "Replace", pattern: { String: " " }, content: "▁" },
      ],
    },
    pre_tokenizer: change.preTokenizer ?? null,
    post_processor: null,
    decoder: null,
    model: { type: "BPE", unk_token: "<unk>", fuse_unk: true, byte_fallback: false, vocab, merges },
  });
}
