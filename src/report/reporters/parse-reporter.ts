import { suggestWord } from "../../core/suggest-word.ts";
import { type ReporterName, reporterNames, type ReporterRequest } from "./reporter.ts";

const sendable: readonly ReporterName[] = ["otlp", "prometheus"];

/** Reads `NAME` or `NAME=PATH`; a message for the user when it is neither. */
export function parseReporter(flag: string): ReporterRequest | { readonly problem: string } {
  const split = flag.indexOf("=");
  const name = split === -1 ? flag : flag.slice(0, split);
  const path = split === -1 ? null : flag.slice(split + 1);
  if (!isReporterName(name)) return { problem: unknownReporter(name) };
  if (path === "") return { problem: `reporter ${name} has an empty path; write ${name} or ${name}=FILE` };
  if (path !== null && /^https?:/i.test(path)) {
    const problem = addressProblem(name, path);
    if (problem !== null) return { problem };
  }
  return { name, path };
}

/** The command line is recorded, so that nothing secret may stand in an address. */
function addressProblem(name: ReporterName, address: string): string | null {
  if (!sendable.includes(name)) return `reporter ${name} writes files; ${sendable.join(" and ")} can be sent to an address`;
  if (!URL.canParse(address)) return `reporter ${name} has an address that is not a valid URL`;
  const { username, password, search, hash } = new URL(address);
  if (username + password + search + hash === "") return null;
  return `the address of reporter ${name} holds a user name, a query or a fragment: give secrets in OTEL_EXPORTER_OTLP_HEADERS`;
}

function unknownReporter(name: string): string {
  const suggestion = suggestWord(name, reporterNames);
  const known = `known are ${reporterNames.join(", ")}`;
  return `unknown reporter ${JSON.stringify(name)}; ${suggestion === null ? known : `${suggestion} ${known}`}`;
}

function isReporterName(name: string): name is ReporterName {
  return (reporterNames as readonly string[]).includes(name);
}
