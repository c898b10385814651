import type { Finding } from "../../core/result/finding.ts";
import { displayWidth, fitWidth, terminalText } from "../escape/terminal.ts";
import { alsoWords, findingTitle, otherForms } from "../text/finding-words.ts";
import { verdictWords } from "../text/verdict-word.ts";
import { plainText } from "./plain-text.ts";
import type { Screen } from "./screen.ts";
import { wrapText } from "./wrap-text.ts";

/** `memberLines`: lines of each member, at most; Infinity leaves nothing out. */
export function drawFinding(finding: Finding, screen: Screen, memberLines: number): FindingBlock {
  const ellipsis = screen.unicode ? "…" : "...";
  const clean = (text: string): string => plainText(terminalText(text), screen);
  const wrapped = (first: string, text: string): readonly string[] =>
    wrapText(clean(text), {
      width: screen.width,
      first,
      rest: " ".repeat(first.length),
      maxLines: memberLines,
      ellipsis,
    });
  const word = verdictWords[finding.verdict];
  const glyph = screen.unicode ? word.glyph : word.ascii;
  const level = finding.level === null ? "" : `  ${finding.level.toUpperCase()}`;
  const known = finding.baselined ? "  known" : "";
  const style = finding.verdict === "fail" ? "red" : "yellow";
  const head = wrapped(`${glyph} `, `${findingTitle(finding)}${level}${known}`).map((line) => screen.paint(style, line));
  const message = wrapped("  ", finding.message);
  const member = (name: string, text: string | null): readonly string[] =>
    text === null ? [] : wrapped(`  ${name.padEnd(8)} `, text);
  const forms = otherForms(finding);
  const listed = memberLines === Infinity ? forms : forms.slice(0, 1);
  const more = forms.length - listed.length;
  return {
    brief: [
      ...head,
      ...message,
      ...(finding.sent === null ? [] : [drawExchange(clean(finding.sent), clean(finding.observed), screen.width, ellipsis)]),
    ],
    whole: [
      ...head,
      ...message,
      ...member("sent", finding.sent),
      ...member("expected", finding.expected),
      ...member("observed", finding.observed),
      ...listed.flatMap(({ sent, observed }) => member("and", `${sent}: ${observed}${more > 0 ? ` (and ${more} more)` : ""}`)),
      ...[alsoWords(finding)].flatMap((also) => (also === null ? [] : wrapped("  ", also))),
      ...member("spec", finding.spec).map((line) => screen.paint("dim", line)),
      ...member("evidence", citedWords(finding)).map((line) => screen.paint("dim", line)),
      "",
    ],
  };
}

const [sentWord, observedWord] = ["  sent     ", "  observed "];
/** Of a line, for what was sent at least, where both are too long for it. */
const sentShare = 0.6;

/** One line with both: a message without what was observed is a riddle. */
function drawExchange(sent: string, observed: string, columns: number, ellipsis: string): string {
  const room = columns - sentWord.length - observedWord.length;
  const shown = fitMiddle(sent, Math.max(Math.floor(room * sentShare), room - displayWidth(observed)), ellipsis);
  return `${sentWord}${shown}${observedWord}${fitWidth(observed, room - displayWidth(shown), ellipsis)}`;
}

function citedWords({ exchanges, more }: Finding): string | null {
  if (exchanges.length === 0) return null;
  const cited = exchanges.slice(0, 5).map((seq) => `#${seq}`);
  const rest = exchanges.length - cited.length + more;
  return `${cited.join(" ")}${rest > 0 ? ` and ${rest} more` : ""} in evidence.ndjson`;
}

/** Cuts in the middle to at most `columns`: of a request the path stands at one end, and what is wrong often at the other. */
export function fitMiddle(text: string, columns: number, ellipsis: string): string {
  if (displayWidth(text) <= columns) return text;
  const room = columns - displayWidth(ellipsis);
  const end = lastColumns(text, Math.floor(room / 2));
  return `${fitWidth(text, columns - displayWidth(end), ellipsis)}${end}`;
}

function lastColumns(text: string, columns: number): string {
  let kept = "";
  let width = 0;
  for (const character of Array.from(text).toReversed()) {
    width += displayWidth(character);
    if (width > columns) break;
    kept = character + kept;
  }
  return kept;
}

/** One finding as lines: with its evidence, and in the fewest lines that still say what is wrong. */
interface FindingBlock {
  readonly whole: readonly string[];
  readonly brief: readonly string[];
}

/** As many findings as the rows hold in brief; the first of them whole, as far as there is room for that. */
export function fitFindings(blocks: readonly FindingBlock[], rows: number): readonly (readonly string[])[] {
  const shown: FindingBlock[] = [];
  let left = rows;
  for (const block of blocks) {
    if (block.brief.length > left && shown.length > 0) break;
    left -= block.brief.length;
    shown.push(block);
  }
  return shown.map(({ whole, brief }, index) => {
    const more = whole.length - brief.length;
    // The first stands whole in any case: a summary without any evidence sends its reader elsewhere.
    const isWhole = index === 0 || more <= left;
    left = isWhole ? left - more : 0;
    return isWhole ? whole : brief;
  });
}
