/** A client sends no longer message; one that is longer is answered as malformed, once. */
const longestLine = 1_048_576;

/** The lines of a stream, until it ends or the signal aborts; null for a line that is too long. */
export async function* readLines(input: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<string | null> {
  let text = "";
  let isTooLong = false;
  const decoder = new TextDecoder();
  const chunks = input[Symbol.asyncIterator]();
  const aborted = new Promise<IteratorResult<Buffer>>((ended) => {
    signal.addEventListener("abort", () => ended({ done: true, value: undefined }), { once: true });
  });
  for (;;) {
    const { done, value } = await Promise.race([chunks.next(), aborted]);
    if (done === true) return;
    text += decoder.decode(value, { stream: true });
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n")) {
      const line = text.slice(0, end).trim();
      text = text.slice(end + 1);
      if (isTooLong) yield null;
      else if (line !== "") yield line;
      isTooLong = false;
    }
    if (text.length > longestLine) [text, isTooLong] = ["", true];
  }
}
