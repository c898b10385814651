import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Result } from "../../core/result/result.ts";
import { reporters } from "./reporters.ts";
import type { Reporter, ReporterRequest } from "./reporter.ts";

type ReporterRegistry = Readonly<Partial<Record<string, Reporter>>>;

/** Writes the text of a reporter. A path `-` is standard output. Rejects when it cannot be written. */
export type WriteReport = (path: string, text: string, append: boolean, reporter: string) => void | Promise<void>;

export interface ReporterOutcome {
  readonly name: string;
  readonly paths: readonly string[];
  /** Why it wrote nothing, or not everything. */
  readonly problem: string | null;
  /** It was sent to a collector and not written: what becomes of it there never changes what a run says. */
  readonly sent: boolean;
}

/** Runs each reporter on its own: one that throws, or whose file cannot be written, never loses the others. */
export async function runReporters(
  requests: readonly ReporterRequest[],
  result: Result,
  evidence: readonly Exchange[],
  write: WriteReport,
  registry: ReporterRegistry = reporters,
): Promise<readonly ReporterOutcome[]> {
  const outcomes: ReporterOutcome[] = [];
  for (const request of requests) outcomes.push(await runOne(request, result, evidence, write, registry));
  return outcomes;
}

/** Whether a path is an address to send to. */
export function isAddress(path: string | null): path is string {
  return path !== null && /^https?:\/\//i.test(path);
}

async function runOne(
  request: ReporterRequest,
  result: Result,
  evidence: readonly Exchange[],
  write: WriteReport,
  registry: ReporterRegistry,
): Promise<ReporterOutcome> {
  const paths: string[] = [];
  const sent = isAddress(request.path);
  try {
    const reporter = request.reporter ?? registry[request.name];
    if (reporter === undefined) throw new Error(`no reporter named ${request.name}`);
    const rendered = reporter.render(result, evidence);
    const files = typeof rendered === "string" ? [{ path: reporter.defaultPath ?? "-", text: rendered }] : rendered;
    for (const [index, file] of files.entries()) {
      const path = index === 0 && request.path !== null ? request.path : file.path;
      await write(path, file.text, file.append ?? false, request.name);
      paths.push(path);
    }
    return { name: request.name, paths, problem: null, sent };
  } catch (error) {
    return { name: request.name, paths, sent, problem: error instanceof Error ? error.message : String(error) };
  }
}
