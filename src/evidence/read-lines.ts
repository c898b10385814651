import { createReadStream } from "node:fs";

/** A file by its path, or its bytes where they come from. */
export type LineSource = string | AsyncIterable<Buffer>;

/** Lines as bytes, so that their digests are those of the file; `complete` says whether a line feed ended it. */
export async function* readLines(source: LineSource): AsyncGenerator<{ readonly bytes: Buffer; readonly complete: boolean }> {
  let rest: Buffer[] = [];
  const chunks: AsyncIterable<Buffer> =
    typeof source === "string" ? createReadStream(source, { highWaterMark: 1024 * 1024 }) : source;
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
      const piece = chunk.subarray(start, at);
      yield { bytes: rest.length === 0 ? piece : Buffer.concat([...rest, piece]), complete: true };
      rest = [];
      start = at + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) yield { bytes: Buffer.concat(rest), complete: false };
}
