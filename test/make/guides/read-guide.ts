import { readFileSync } from "node:fs";
import { resolve } from "node:path";

export interface Guide {
  /** The lines of code of a section that begin with one of these commands, in order, without the comments behind them. */
  commandsOf(section: string): readonly string[];
  /** The fenced blocks of a section in a language. */
  blocksOf(section: string, language: string): readonly string[];
  /** Code within the sentences of a section. */
  inlineOf(section: string): readonly string[];
}

/** A guide of docs/guide as its reader takes it: section by section, the commands to type and the files to write. */
export function readGuide(name: string, commands: readonly string[]): Guide {
  const text = readFileSync(resolve(import.meta.dirname, "../../../docs/guide", name), "utf8");
  const section = (title: string): string => {
    const found = text.split(`## ${title}\n`)[1]?.split("\n## ")[0];
    if (found === undefined) throw new Error(`${name} has no section ${title}`);
    return found;
  };
  const command = new RegExp(`^ {4}((?:${commands.join("|")}) .*)$`, "gm");
  return {
    commandsOf: (title) => [...section(title).matchAll(command)].map(([, line]) => line!.replace(/\s{2,}#.*$/, "")),
    blocksOf: (title, language) =>
      [...section(title).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, of]) => of === language).map(([, , body]) => body!),
    inlineOf: (title) => [...section(title).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!),
  };
}
