import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../../command/usage-error.ts";
import { compileSchema } from "../../../schemas/validator.ts";
import { readAppendedReports } from "./read-tool-reports.ts";
import { readValues } from "./read-values.ts";
import { splitFileName } from "./split-file-name.ts";

/** The load tests of a file or of a run folder; null: nothing that is known. */
export function openReports(path: string): ReturnType<typeof readAppendedReports> {
  const [given] = splitFileName(path);
  const file = existsSync(given) && statSync(given).isDirectory() ? join(given, "result.json") : given;
  if (!existsSync(file)) return null;
  const read = readValues(readFileSync(file, "utf8"));
  if ("problem" in read) throw new UsageError(`${file}: ${read.problem}`);
  const [value] = read.values;
  try {
    return readAppendedReports(read.values);
  } catch (error) {
    // Files of other tools are read member by member; a result of assay is taken as a whole.
    const [fault] = compileSchema("result.schema")(value);
    if (fault === undefined) throw error;
    throw new UsageError(`${file} is no result of assay: ${fault.pointer || "/"} ${fault.message}`);
  }
}
