import { parseSync } from "oxc-parser";

/** A paragraph of a comment or of a page, in one line and without the marks of its format. */
export interface Paragraph {
  readonly line: number;
  readonly text: string;
}

/** Paragraphs of the comments of a source file. Line comments that follow each other are one comment. */
export function readComments(file: string, source: string): readonly Paragraph[] {
  const lineAt = lineCounter(source);
  const paragraphs: Paragraph[] = [];
  let last: { readonly end: number; readonly isLine: boolean } = { end: 0, isLine: false };
  for (const comment of parseSync(file, source).comments) {
    const isLine = comment.type === "Line";
    const goesOn = isLine && last.isLine && /^[^\S\n]*\n[^\S\n]*$/.test(source.slice(last.end, comment.start));
    const lines = comment.value.split("\n").map((line) => line.replace(/^\s*\*+ ?/, "").trim());
    appendParagraphs(paragraphs, lines, lineAt(comment.start), goesOn);
    last = { end: comment.end, isLine };
  }
  return paragraphs;
}

/** Paragraphs, list items, headings and table cells of a Markdown page. Code blocks are left out. */
export function readPage(page: string): readonly Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let isCode = false;
  let goesOn = false;
  page.split("\n").forEach((line, index) => {
    const isFence = /^\s*```/.test(line);
    if (isFence) isCode = !isCode;
    if (isCode || isFence || /^\s*$/.test(line) || (/^ {4}/.test(line) && !goesOn)) {
      goesOn = false;
      return;
    }
    const cells = /^\s*[#|]/.test(line) ? line.replace(/^\s*#+/, "").split("|") : null;
    if (cells !== null) {
      for (const cell of cells) appendParagraphs(paragraphs, [cell.trim()], index + 1, false);
      goesOn = false;
    } else {
      appendParagraphs(paragraphs, [line.trim()], index + 1, goesOn);
      goesOn = true;
    }
  });
  return paragraphs;
}

function appendParagraphs(paragraphs: Paragraph[], lines: readonly string[], firstLine: number, continues: boolean): void {
  let goesOn = continues;
  lines.forEach((line, index) => {
    const item = /^(?:[-*]|\d+\.) +/.exec(line);
    const text = line.slice(item?.[0].length ?? 0);
    const last = paragraphs.at(-1);
    if (goesOn && item === null && text !== "" && last !== undefined) {
      paragraphs[paragraphs.length - 1] = { line: last.line, text: `${last.text} ${text}` };
    } else if (text !== "") {
      paragraphs.push({ line: firstLine + index, text });
    }
    goesOn = text !== "";
  });
}

function lineCounter(source: string): (offset: number) => number {
  let [line, counted] = [1, 0];
  return (offset) => {
    for (; counted < offset; counted++) if (source[counted] === "\n") line++;
    return line;
  };
}
