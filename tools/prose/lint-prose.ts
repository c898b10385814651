/**
 * Counts the sentences that begin with a question word (see find-riddles.ts) in comments and documents, prints them, and fails
 * if there are more than permitted: `tsx tools/prose/lint-prose.ts [--most N] FILE-OR-FOLDER...`
 */
import { parseArgs } from "node:util";
import { listFiles, listRiddles } from "./list-riddles.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { most: { type: "string", default: "0" } } });
const files = listFiles(positionals);
const riddles = files.flatMap(listRiddles);
if (files.length === 0 || riddles.length > Number(values.most)) {
  for (const riddle of riddles) process.stderr.write(`${riddle}\n`);
  process.stderr.write(
    `${riddles.length} sentences in ${files.length} files begin with a question word, ${values.most} may. Begin with the subject.\n`,
  );
  process.exitCode = 1;
}
