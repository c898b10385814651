/** A screen of problems, less the line above them: a reader mends the first ones first. */
const mostLines = 19;
const mostBytes = 3_800;
const longestLine = 900;

const encoder = new TextEncoder();

/**
 * Lines of a message about a file, cut to a screen, with the number of those that were left out, `leftOut` among them: a file may hold
 * as many mistakes, and names as long, as it likes.
 */
export function listProblems(lines: readonly string[], leftOut = 0): string {
  const shown: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(0, lines.length + leftOut > mostLines ? mostLines - 1 : mostLines)) {
    const short =
      line.length > longestLine ? `${line.slice(0, longestLine)}… (${line.length - longestLine} more characters)` : line;
    bytes += encoder.encode(short).byteLength + 1;
    if (shown.length > 0 && bytes > mostBytes) break;
    shown.push(short);
  }
  const left = lines.length + leftOut - shown.length;
  return left === 0 ? shown.join("\n") : [...shown, `and ${left} more ${left === 1 ? "problem" : "problems"}`].join("\n");
}
