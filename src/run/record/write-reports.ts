import { appendFileSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Result } from "../../core/result/result.ts";
import { reporters } from "../../report/reporters/reporters.ts";
import type { ReporterRequest } from "../../report/reporters/reporter.ts";
import { isAddress, runReporters, type ReporterOutcome } from "../../report/reporters/run-reporters.ts";
import { kindOfFile } from "./kind-of-file.ts";
import { makeFolders } from "./make-folders.ts";
import { collectorOf, sendReport } from "./send-report.ts";
import { writeWhole } from "./write-whole.ts";
import { output } from "../../report/terminal/output.ts";

export interface WriteReportsInput {
  readonly result: Result;
  readonly evidence: readonly Exchange[];
  readonly folder: string;
  readonly reporters: readonly ReporterRequest[];
}

/** Written for every run, whatever was asked for. */
const always: readonly ReporterRequest[] = [
  { name: "json", path: null },
  { name: "html", path: null },
  { name: "junit", path: null },
];

/** Writes the standard reports into the run folder, then those that were asked for; one that fails loses no other. */
export async function writeReports({
  result,
  evidence,
  folder,
  reporters,
}: WriteReportsInput): Promise<readonly ReporterOutcome[]> {
  const cited = citedExchanges(result, evidence);
  const standard = await runReporters(always, result, cited, (path, text) => writeWhole(join(folder, path), text));
  const { env } = process;
  const addressed = reporters.map((reporter) => ({ ...reporter, path: reporter.path ?? collectorOf(reporter.name, env) }));
  const wanted = await runReporters(addressed, result, cited, async (path, text, append, name) => {
    if (isAddress(path)) return sendReport(name, path, text, { env });
    if (path === "-") {
      output.printRendered(text.endsWith("\n") ? text : `${text}\n`);
      return;
    }
    const file = locate(path, folder, reporters);
    makeFolders(dirname(file));
    // A path that was typed may be a pipe or a device.
    if (append) appendFileSync(file, text);
    else if (resolve(dirname(file)) === resolve(folder)) writeWhole(file, text);
    else writeFileSync(file, text);
  });
  return [...standard, ...wanted];
}

/** The texts of the standard reports, by the name of their file. */
export async function renderStandard(result: Result, evidence: readonly Exchange[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  await runReporters(always, result, citedExchanges(result, evidence), (path, text) => void texts.set(path, text));
  return texts;
}

/** Reports beside the standard ones that lie in a run folder, under the names that they have there by default. */
export function keptReporters(folder: string): readonly ReporterRequest[] {
  return Object.values(reporters)
    .filter(({ name, defaultPath }) => defaultPath !== null && !always.some((standard) => standard.name === name))
    .map(({ name, defaultPath }) => ({ name, path: join(folder, defaultPath ?? "") }))
    .filter(({ path }) => kindOfFile(path) === "file");
}

/** The content that the reports of a run folder should have, by the name of their file. */
export async function renderKept(
  folder: string,
  result: Result,
  evidence: readonly Exchange[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const cited = citedExchanges(result, evidence);
  await runReporters([...always, ...keptReporters(folder)], result, cited, (path, text) => void texts.set(basename(path), text));
  return texts;
}

/** A path that was typed is relative to the working directory, a default one to the run folder; `$NAME` names a file. */
function locate(path: string, folder: string, reporters: readonly ReporterRequest[]): string {
  const variable = /^\$([A-Z_]+)$/.exec(path)?.[1];
  if (variable !== undefined) {
    const file = process.env[variable];
    // Outside the place that sets it, what would go there is kept beside the other reports.
    return file === undefined || file === "" ? join(folder, `${variable.toLowerCase().replaceAll("_", "-")}.md`) : file;
  }
  const typed = reporters.some((reporter) => reporter.path === path);
  return isAbsolute(path) ? path : typed ? resolve(path) : join(folder, path);
}

/** The exchanges that reports show. */
export function citedExchanges(result: Result, evidence: readonly Exchange[]): readonly Exchange[] {
  const cited = new Set([
    ...result.findings.flatMap(({ exchanges, forms }) => [...exchanges, ...forms.map(({ exchange }) => exchange)]),
    ...(result.conformance?.requirements ?? []).flatMap((requirement) => requirement.exchanges),
    ...(result.conformance?.leniency ?? []).flatMap((entry) => entry.exchanges),
    ...result.passive.violations.flatMap((violation) => violation.exchanges),
  ]);
  // In the order in which a record is read: answers that came together were recorded in the order of their ends.
  return evidence.filter((exchange) => cited.has(exchange.seq)).toSorted((one, other) => one.seq - other.seq);
}
