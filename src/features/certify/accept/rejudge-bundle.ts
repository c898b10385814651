import { wholeContent, wholeText } from "../archive/read-content.ts";
import { BundleError } from "../bundle-error.ts";
import { memberNames } from "../archive/member-names.ts";
import type { VerifiedBundle } from "../verify/verify-bundle.ts";
import { visibleJson } from "../../../core/exchange/bodies/visible-json.ts";
import type { Exchange } from "../../../core/exchange/exchange.ts";
import type { Result } from "../../../core/result/result.ts";
import { describeFault } from "../../../run/verdict/describe-fault.ts";
import { judgeRun } from "../../../run/record/judge-run.ts";
import { readRun, type RunFiles } from "../../../run/record/read-run.ts";
import { citedExchanges, renderStandard } from "../../../run/record/write-reports.ts";
import { bundleFiles } from "./bundle-files.ts";
import type { ArchiveMember } from "../archive/read-archive.ts";
import { isJsonObject } from "../../../core/exchange/bodies/recorded-json.ts";
import { readChain } from "../../../evidence/chain-reader.ts";
import { digestLine } from "../../../evidence/chain-writer.ts";
import { readLines } from "../../../evidence/read-lines.ts";

/** A bundle that was judged again to the same bytes. */
export interface RejudgedBundle {
  /** One line each. */
  readonly checked: readonly string[];
  readonly result: Result;
  /** Exchanges of the evidence that reports show. */
  readonly exchanges: readonly Exchange[];
}

/**
 * Judges the run in a verified bundle again and compares every byte of what follows from it; nothing is written to disk. Throws a
 * BundleError that names the member.
 */
export async function rejudgeBundle(bundle: VerifiedBundle): Promise<RejudgedBundle> {
  try {
    return await compareBundle(bundle);
  } catch (error) {
    // Files come from strangers: whatever they hold, the bundle is refused and assay has no fault.
    throw error instanceof BundleError ? error : new BundleError(describeFault(error));
  }
}

async function compareBundle(bundle: VerifiedBundle): Promise<RejudgedBundle> {
  const { members } = bundle;
  const files = bundleFiles(bundle);
  const saved = await readRun(files);
  const [problem] = saved.problems;
  if (problem !== undefined) throw new BundleError(problem);
  const result = judgeRun(saved.record, saved.exchanges, saved.load);
  const rendered = await renderStandard(result, saved.exchanges);
  for (const [name, text] of rendered) {
    const member = members.get(`${name}.gz`);
    const found = member === undefined ? null : await wholeText(member);
    if (found !== text) throw new BundleError(`${name}.gz: judged again, the run gives another ${name}`);
  }
  const manifest = members.get(memberNames.manifest);
  if (manifest === undefined || (await wholeText(manifest)) !== `${visibleJson(saved.record.manifest, 1)}\n`) {
    throw new BundleError(`${memberNames.manifest}: it is not the manifest of the run`);
  }
  const noted = await checkHeads(members, files);
  const loadRequests = (saved.load.load?.profiles ?? []).reduce((sum, { counts }) => sum + counts.sent, 0);
  const checked = [
    `judged again, the run gives ${[...rendered.keys()].join(", ")} byte for byte (${saved.exchanges.length} exchanges, ${loadRequests} requests of load)`,
    ...(noted === null ? [] : [noted]),
  ];
  return { checked, result, exchanges: citedExchanges(result, saved.exchanges) };
}

const mostBytes = 64 * 1024 ** 2;

/** Whether the files grew as was noted while the run went; null where nothing was noted. Throws a BundleError. */
async function checkHeads(members: ReadonlyMap<string, ArchiveMember>, files: RunFiles): Promise<string | null> {
  const member = members.get(memberNames.heads);
  if (member === undefined) return null;
  const bytes = await wholeContent(member, mostBytes);
  const wanted = { "evidence.ndjson": new Map<number, string>(), "load.ndjson": new Map<number, string>() };
  let notes = 0;
  const { cut } = await readChain(single(bytes), ({ value, broken, line }) => {
    if (broken) throw new BundleError(`${memberNames.heads}: line ${line} does not follow the one before`);
    notes += 1;
    for (const [name, noted] of Object.entries(wanted)) {
      const head = value[name];
      if (isJsonObject(head) && typeof head["lines"] === "number" && head["lines"] > 0)
        noted.set(head["lines"], String(head["sha256"]));
    }
  });
  if (cut) throw new BundleError(`${memberNames.heads}: it is cut`);
  for (const [name, noted] of Object.entries(wanted)) {
    const source = files.chunks(name);
    if (source === null) continue;
    let line = 0;
    let found = 0;
    for await (const { bytes: text } of readLines(source)) {
      line += 1;
      const sha256 = noted.get(line);
      if (sha256 === undefined) continue;
      found += 1;
      if (sha256 !== digestLine(text)) throw new BundleError(`${memberNames.heads}: ${name} was another one at line ${line}`);
    }
    if (found !== noted.size) throw new BundleError(`${memberNames.heads}: ${name} was longer once`);
  }
  return `the files grew as was noted ${notes} times while the run went`;
}

async function* single(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}
