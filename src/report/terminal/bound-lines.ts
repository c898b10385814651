const mostLines = 20;
const mostCharacters = 4_000;
/** A line is cut there: the next one may say more. */
const longestLine = 500;

/** The first lines of a message, with what was left out counted. */
export function boundLines(text: string): string {
  const lines = text.split("\n");
  const kept: string[] = [];
  let characters = 0;
  for (const line of lines) {
    const shown =
      line.length <= longestLine ? line : `${line.slice(0, longestLine)}… (${line.length - longestLine} characters more)`;
    characters += shown.length + 1;
    if (characters > mostCharacters - 100 || kept.length === mostLines - 1) break;
    kept.push(shown);
  }
  // The last line has room for itself.
  if (kept.length === lines.length - 1 && (lines.at(-1)?.length ?? 0) <= 80) kept.push(lines.at(-1) ?? "");
  const left = lines.length - kept.length;
  return left === 0 ? kept.join("\n") : [...kept, `(${left} more ${left === 1 ? "line" : "lines"} left out)`].join("\n");
}
