/**
 * A sentence that begins with one of these words names its subject by a question, which the reader has to answer first: "what a
 * check says of it". The statement begins with the thing: "The message of a check." Nothing else is looked at, so that the
 * count never depends on a reading: conditions begin with If or When ("If a file is missing, the command ends with 2"), never
 * with Where.
 */
const riddleStart =
  /^["'(*_`[]*(?:what|whatever|whose|who|whoever|where|wherever|(?:of|to|from|by|for|in|on|at|with|after|before) (?:what|which|whom|whose))\b(?!-)/i;

/** A sentence ends with its mark and a blank before a capital letter; a colon ends one too. */
const sentenceEnd = /(?<=[.!?:;]["')*_`\]]*)\s+(?=["'(*_`[]*[A-Z])/;

/** The sentences of a paragraph. */
export function splitSentences(text: string): readonly string[] {
  return text.split(sentenceEnd);
}

/** The sentences of a paragraph that begin with a question word and are no question. */
export function findRiddles(text: string): readonly string[] {
  return splitSentences(text).filter(
    (sentence) => riddleStart.test(sentence) && /^["'(*_`[]*[A-Z]/.test(sentence) && !sentence.endsWith("?"),
  );
}
