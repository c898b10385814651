/**
 * Short everyday words that are one token each, at the beginning of a text and after a space, in the vocabularies of o200k, cl100k, GPT-2,
 * Llama 2, Llama 3 and Qwen 2.5: so many words are so many tokens.
 */
export const commonWords: readonly string[] = (
  "time year people way day man thing woman life child world school state family student group country problem hand part " +
  "place case week company system program question work government number night point home water room mother area money " +
  "story fact month lot right study book eye job word business issue side kind head house service friend father power " +
  "hour game line end member law car city community name team minute kid body information back parent face " +
  "level office door health person art war history party result change reason research girl air " +
  "force education foot boy age policy music market sense plan river table letter road bridge window stone"
).split(" ");
