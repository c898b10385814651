import { existsSync } from "node:fs";

/** `FILE#NAME` names one of several load tests in a file. */
export function splitFileName(path: string): readonly [file: string, name: string | null] {
  const mark = path.lastIndexOf("#");
  return mark === -1 || existsSync(path) ? [path, null] : [path.slice(0, mark), path.slice(mark + 1)];
}
