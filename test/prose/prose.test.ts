import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findRiddles } from "../../tools/prose/find-riddles.ts";
import { listFiles, listRiddles } from "../../tools/prose/list-riddles.ts";
import { readComments, readPage } from "../../tools/prose/read-paragraphs.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-prose-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("sentences of comments and documents", () => {
  it.each([
    "What a check says.",
    "Whose keys expire.",
    "Of what was sent.",
    "From which it begins.",
    "Where the file lies.",
    "Where a file is missing, the command ends with 2.",
    "Whoever asks twice.",
    "**What it is.** Text.",
    "It is sent. What comes back is read.",
    "`--plan`: What a run may send.",
  ])("notices %j", (text) => expect(findRiddles(text)).toHaveLength(1));

  it.each([
    "The message of a check.",
    "If a file is missing, the command ends with 2.",
    "What is a window?",
    "It says what a check says, and where.",
    "What-if plans are drawn.",
    "lower case: what follows is a clause.",
    "Whether it is open.",
  ])("leaves %j alone", (text) => expect(findRiddles(text)).toEqual([]));

  it("are read from comments, whatever they look like, and from nothing else", () => {
    const source = [
      "/** One line. */",
      'const text = "// What a text holds";',
      "const pattern = /[/*]/, template = `/** What ${/* inner */ text} */`;",
      "// Two lines",
      "// are one sentence.",
      "",
      "// Another comment.",
      "/**",
      " * A paragraph",
      " * goes on.",
      " *",
      " * - an item",
      " *   of two lines",
      " * - another",
      " */",
      "call(text); // beside code",
    ].join("\n");
    expect(readComments("a.ts", source)).toEqual([
      { line: 1, text: "One line." },
      { line: 3, text: "inner" },
      { line: 4, text: "Two lines are one sentence." },
      { line: 7, text: "Another comment." },
      { line: 9, text: "A paragraph goes on." },
      { line: 12, text: "an item of two lines" },
      { line: 14, text: "another" },
      { line: 16, text: "beside code" },
    ]);
  });

  it("are read from paragraphs, items, headings and cells of a page, not from its code", () => {
    const page =
      "# Title\n\nOne\nparagraph.\n\n    What a command prints\n\n```sh\n# What code says\n```\n\n- item\n  goes on\n\n| a | b |\n";
    expect(readPage(page).map(({ line, text }) => `${line} ${text}`)).toEqual([
      "1 Title",
      "3 One paragraph.",
      "12 item goes on",
      "15 a",
      "15 b",
    ]);
  });

  it("are listed with their place in every file of a folder", () => {
    writeFileSync(join(folder, "riddle.ts"), "// A statement.\n/** What it is. */\nexport const one = 1;\n");
    writeFileSync(join(folder, "page.md"), "# What it is\n");
    writeFileSync(join(folder, "data.json"), '{ "a": "What it is." }');
    expect(listFiles([folder]).flatMap(listRiddles)).toEqual([
      `${join(folder, "page.md")}:1: What it is`,
      `${join(folder, "riddle.ts")}:2: What it is.`,
    ]);
  });
});
