import { longestWord } from "../longest-word.ts";

/** Source of the thread that holds a tokenizer: it answers lists of texts with their counts. Plain JavaScript, since it is evaluated. */
export const counterSource: string = `
const { workerData: { path, text, port, answered } } = require("node:worker_threads");
const answer = (make) => {
  let message;
  try {
    message = { value: make() };
  } catch (error) {
    message = { problem: String(error && error.message) };
  }
  port.postMessage(message);
  Atomics.add(answered, 0, 1);
  Atomics.notify(answered, 0);
};
const wordsOf = (vocab) => {
  const pieces = Array.isArray(vocab) ? vocab.map((entry) => String(entry && entry[0])) : Object.keys(vocab || {});
  const words = [];
  for (const piece of pieces) {
    const word = /^[\\u0120\\u2581]?([a-z]{2,${longestWord}})$/.exec(piece);
    if (word !== null) words.push(word[1]);
  }
  return words;
};
let tokenizer;
answer(() => {
  let file;
  try {
    file = JSON.parse(text);
  } catch {
    throw new Error("is not JSON");
  }
  if (typeof file !== "object" || file === null || typeof file.model !== "object" || file.model === null)
    throw new Error('has no "model", which a tokenizer.json has');
  const { Tokenizer } = require(path);
  try {
    tokenizer = new Tokenizer(file, {});
  } catch (error) {
    throw new Error("is no tokenizer that can be read (" + String(error && error.message) + ")");
  }
  return wordsOf(file.model.vocab);
});
port.on("message", (texts) => answer(() => texts.map((each) => tokenizer.encode(each, { add_special_tokens: false }).ids.length)));
`;
