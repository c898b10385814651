import { wholeContent } from "../../certificate/archive/read-content.ts";
import { CertificateError } from "../../certificate/certificate-error.ts";
import { memberNames } from "../../certificate/member-names.ts";
import type { VerifiedBundle } from "../../certificate/verify/verify-bundle.ts";
import { visibleJson } from "../../core/exchange/visible-json.ts";
import { describeFault } from "../verdict/describe-fault.ts";
import { judgeRun } from "../record/judge-run.ts";
import { readRun, type RunFiles, type SavedRun } from "../record/read-run.ts";
import { renderStandard } from "../record/write-reports.ts";
import { bundleFiles } from "./bundle-files.ts";
import { checkHeads } from "./check-heads.ts";

const mostTextBytes = 256 * 1024 ** 2;

/**
 * Judges the run in a verified bundle again and compares every byte of what follows from it; nothing is written to disk. Throws a
 * CertificateError that names the member. Resolves with what was checked.
 */
export async function rejudgeBundle(bundle: VerifiedBundle): Promise<readonly string[]> {
  const { members } = bundle;
  const files = bundleFiles(bundle);
  const saved = await read(files);
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
  return [
    `judged again, the run gives ${[...rendered.keys()].join(", ")} byte for byte (${saved.exchanges.length} exchanges)`,
    ...(noted === null ? [] : [noted]),
  ];
}

/** Files of a stranger: whatever they hold, it is the bundle that is refused. */
async function read(files: RunFiles): Promise<SavedRun> {
  try {
    return await readRun(files);
  } catch (error) {
    throw new CertificateError(describeFault(error));
  }
}
