import { wholeContent } from "../../certificate/archive/read-content.ts";
import { CertificateError } from "../../certificate/certificate-error.ts";
import { memberNames } from "../../certificate/member-names.ts";
import type { VerifiedBundle } from "../../certificate/verify/verify-bundle.ts";
import { visibleJson } from "../../core/exchange/visible-json.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Result } from "../../core/result/result.ts";
import { describeFault } from "../verdict/describe-fault.ts";
import { judgeRun } from "../record/judge-run.ts";
import { readRun } from "../record/read-run.ts";
import { citedExchanges, renderStandard } from "../record/write-reports.ts";
import { bundleFiles } from "./bundle-files.ts";
import { checkHeads } from "./check-heads.ts";

const mostTextBytes = 256 * 1024 ** 2;

/** A bundle that was judged again to the same bytes. */
export interface RejudgedBundle {
  /** One line each. */
  readonly checked: readonly string[];
  readonly result: Result;
  /** Of the evidence, what reports show. */
  readonly exchanges: readonly Exchange[];
}

/**
 * Judges the run in a verified bundle again and compares every byte of what follows from it; nothing is written to disk. Throws a
 * CertificateError that names the member.
 */
export async function rejudgeBundle(bundle: VerifiedBundle): Promise<RejudgedBundle> {
  try {
    return await compareBundle(bundle);
  } catch (error) {
    // Files of a stranger: whatever they hold, it is the bundle that is refused.
    throw error instanceof CertificateError ? error : new CertificateError(describeFault(error));
  }
}

async function compareBundle(bundle: VerifiedBundle): Promise<RejudgedBundle> {
  const { members } = bundle;
  const files = bundleFiles(bundle);
  const saved = await readRun(files);
  const [problem] = saved.problems;
  if (problem !== undefined) throw new CertificateError(problem);
  const result = judgeRun(saved.record, saved.exchanges, saved.load);
  const rendered = await renderStandard(result, saved.exchanges);
  for (const [name, text] of rendered) {
    const member = members.get(`${name}.gz`);
    const found = member === undefined ? null : (await wholeContent(member, mostTextBytes)).toString("utf8");
    if (found !== text) throw new CertificateError(`${name}.gz: judged again, the run gives another ${name}`);
  }
  const manifest = members.get(memberNames.manifest);
  if (
    manifest === undefined ||
    (await wholeContent(manifest, mostTextBytes)).toString("utf8") !== `${visibleJson(saved.record.manifest, 1)}\n`
  ) {
    throw new CertificateError(`${memberNames.manifest}: it is not the manifest of the run`);
  }
  const noted = await checkHeads(members, files);
  const loadRequests = (saved.load.load?.profiles ?? []).reduce((sum, { counts }) => sum + counts.sent, 0);
  const checked = [
    `judged again, the run gives ${[...rendered.keys()].join(", ")} byte for byte (${saved.exchanges.length} exchanges, ${loadRequests} requests of load)`,
    ...(noted === null ? [] : [noted]),
  ];
  return { checked, result, exchanges: citedExchanges(result, saved.exchanges) };
}
