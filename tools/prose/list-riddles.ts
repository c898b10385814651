import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { findRiddles } from "./find-riddles.ts";
import { readComments, readPage } from "./read-paragraphs.ts";

/** The files below these paths that the lint reads. */
export function listFiles(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:ts|mjs|md)$/.test(name) && !name.includes("node_modules"))
      .toSorted()
      .map((name) => join(path, name));
  });
}

/** The riddles of a file, each with its place. */
export function listRiddles(file: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  const paragraphs = file.endsWith(".md") ? readPage(text) : readComments(file, text);
  return paragraphs.flatMap((paragraph) => findRiddles(paragraph.text).map((riddle) => `${file}:${paragraph.line}: ${riddle}`));
}
