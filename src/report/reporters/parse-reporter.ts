import { type ReporterName, reporterNames, type ReporterRequest } from "./reporter.ts";

/** Reads `NAME` or `NAME=PATH`; a message for the user when it is neither. */
export function parseReporter(flag: string): ReporterRequest | { readonly problem: string } {
  const split = flag.indexOf("=");
  const name = split === -1 ? flag : flag.slice(0, split);
  const path = split === -1 ? null : flag.slice(split + 1);
  if (!isReporterName(name))
    return { problem: `unknown reporter ${JSON.stringify(name)}; known are ${reporterNames.join(", ")}` };
  if (path === "") return { problem: `reporter ${name} has an empty path; write ${name} or ${name}=FILE` };
  return { name, path };
}

function isReporterName(name: string): name is ReporterName {
  return (reporterNames as readonly string[]).includes(name);
}
