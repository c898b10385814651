/** Bounds of a YAML text: nobody writes more, or nests deeper, by hand. */
const mostCharacters = 262_144;
const mostLevels = 100;

/**
 * The property of a YAML text that is too much for a parser that recurses, null for any file that is meant to be read. Without
 * stack left the engine may end the process, and no handler of errors prevents that. Brackets in texts are counted too.
 */
export function findYamlExcess(text: string): string | null {
  if (text.length > mostCharacters) return `it has more than ${mostCharacters} characters`;
  let depth = 0;
  for (const line of text.split(/[\r\n]+/)) {
    // A level of a block takes a blank, a dash or a question mark at the begin of its line.
    const lead = /^[\s?-]*/.exec(line)?.[0].length ?? 0;
    if (lead > 2 * mostLevels) return `it is nested deeper than ${mostLevels} levels`;
    for (const [bracket] of line.matchAll(/[[\]{}]/g)) {
      depth = Math.max(0, depth + (bracket === "[" || bracket === "{" ? 1 : -1));
      if (depth > mostLevels) return `it is nested deeper than ${mostLevels} levels`;
    }
  }
  return null;
}
