import { readFileSync, statSync } from "node:fs";
import { shortWords } from "../../../core/short-value.ts";
import { chooseWords } from "./choose-words.ts";
import { openTokenCounter } from "./token-counter.ts";

/** The largest published ones take half of it. */
const mostBytes = 64 * 2 ** 20;

/** Words of which each is one token by the tokenizer.json at a path. Throws RangeError with the reason why there are none. */
export function readTokenizer(path: string): readonly string[] {
  const counter = openTokenCounter(readBounded(path));
  try {
    return chooseWords(counter);
  } catch (error) {
    if (error instanceof RangeError) throw new RangeError(shortWords(error.message).slice(0, 300));
    throw error;
  } finally {
    counter.close();
  }
}

function readBounded(path: string): string {
  let size = 0;
  try {
    const found = statSync(path);
    if (!found.isFile()) throw new RangeError("is not a file");
    size = found.size;
    if (size <= mostBytes) return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new RangeError(`cannot be read (${error instanceof Error ? error.message.split(":")[0] : "unknown"})`);
  }
  throw new RangeError(`has ${size} bytes, ${mostBytes} at most are read`);
}
