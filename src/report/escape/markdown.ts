import { showInvisible } from "./visible.ts";

/**
 * Running text in GitHub-flavoured Markdown, safe in table cells too: no markup, no HTML, no automatic link, and no
 * mention (an empty comment parts the `@` from the name).
 */
export function markdownText(text: string): string {
  return showInvisible(text)
    .replace(/[\\`*_[\]|~$]/g, (character) => `\\${character}`)
    .replace(/^(\s*)([-+#=]|\d+[.)])/, (_, space: string, mark: string) => `${space}${mark.slice(0, -1)}\\${mark.slice(-1)}`)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/:(?=\/\/)|(?<=\b(?:mailto|xmpp)):/gi, "&#58;")
    .replace(/\bwww\./gi, (match) => `${match.slice(0, -1)}&#46;`)
    .replaceAll("@", "@<!-- -->");
}

/** A code span that also holds in a table cell: backslashes do not escape in code, but GFM splits cells at bare pipes. */
export function markdownCode(text: string): string {
  const shown = showInvisible(text).replaceAll("|", "\\|");
  const fence = "`".repeat(longestRun(shown) + 1);
  const padded = /^[`\s]|[`\s]$|^$/.test(shown) ? ` ${shown} ` : shown;
  return `${fence}${padded}${fence}`;
}

/** A fenced block whose fence is longer than any run of backticks inside. */
export function markdownBlock(text: string, language = ""): string {
  const shown = showInvisible(text, { keepLines: true });
  const fence = "`".repeat(Math.max(3, longestRun(shown) + 1));
  return `${fence}${language}\n${shown}\n${fence}\n`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
