import { wholeContent } from "../../certificate/archive/read-content.ts";
import type { ArchiveMember } from "../../certificate/archive/read-archive.ts";
import { CertificateError } from "../../certificate/certificate-error.ts";
import { memberNames } from "../../certificate/member-names.ts";
import { isJsonObject } from "../../core/exchange/recorded-json.ts";
import { readChain } from "../../evidence/chain-reader.ts";
import { digestLine } from "../../evidence/chain-writer.ts";
import { readLines } from "../../evidence/read-lines.ts";
import type { RunFiles } from "../record/read-run.ts";

const mostBytes = 64 * 1024 ** 2;

/** Whether the files grew as was noted while the run went; null where nothing was noted. Throws a CertificateError. */
export async function checkHeads(members: ReadonlyMap<string, ArchiveMember>, files: RunFiles): Promise<string | null> {
  const member = members.get(memberNames.heads);
  if (member === undefined) return null;
  const bytes = await wholeContent(member, mostBytes);
  const wanted = { "evidence.ndjson": new Map<number, string>(), "load.ndjson": new Map<number, string>() };
  let notes = 0;
  const { cut } = await readChain(single(bytes), ({ value, broken, line }) => {
    if (broken) throw new CertificateError(`${memberNames.heads}: line ${line} does not follow the one before`);
    notes += 1;
    for (const [name, noted] of Object.entries(wanted)) {
      const head = value[name];
      if (isJsonObject(head) && typeof head["lines"] === "number" && head["lines"] > 0)
        noted.set(head["lines"], String(head["sha256"]));
    }
  });
  if (cut) throw new CertificateError(`${memberNames.heads}: it is cut`);
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
      if (sha256 !== digestLine(text))
        throw new CertificateError(`${memberNames.heads}: ${name} was another one at line ${line}`);
    }
    if (found !== noted.size) throw new CertificateError(`${memberNames.heads}: ${name} was longer once`);
  }
  return `the files grew as was noted ${notes} times while the run went`;
}

async function* single(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}
