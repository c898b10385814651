import type { Finding } from "../../core/result/finding.ts";
import type { Result } from "../../core/result/result.ts";
import { listFailures } from "../list-failures.ts";
import { orderFindings } from "../order-findings.ts";
import { terminalText } from "../escape/terminal.ts";
import { countOf } from "../text/format-number.ts";
import { drawFinding } from "./draw-finding.ts";
import type { Screen } from "./screen.ts";

/** Every finding whole, nothing cut, failures first. */
export function renderFindings(result: Result, screen: Screen): string {
  const blocks = orderFindings(result.findings).flatMap((finding) => drawFinding(finding, screen, Infinity).whole);
  const failures = listFailures(result).length;
  const others = result.findings.length - failures;
  const counted = `${countOf(failures, "failure")}${others === 0 ? "" : `, ${countOf(others, "advisory or known finding", "advisories and known findings")}`}`;
  return `${[...blocks, counted].join("\n")}\n`;
}

/** One finding whole, with the command that sends its request once more. */
export function renderFinding(finding: Finding, screen: Screen): string {
  const { whole } = drawFinding(finding, screen, Infinity);
  const curl = finding.curl === null ? [] : [finding.curl.split("\n").map(terminalText).join("\n"), ""];
  return `${[...whole, ...curl].join("\n").trimEnd()}\n`;
}
