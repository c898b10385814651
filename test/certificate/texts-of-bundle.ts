import { readArchive } from "../../src/certificate/archive/read-archive.ts";
import { wholeContent } from "../../src/certificate/archive/read-content.ts";
import { isJsonObject } from "../../src/core/exchange/recorded-json.ts";

/** Every member of a bundle, unpacked, and what its envelopes hold, by a name. */
export async function textsOfBundle(path: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const member of (await readArchive(path)).values()) {
    const text = (await wholeContent(member, 1e8)).toString("utf8");
    texts.set(member.name, text);
    const envelope: unknown = member.name.endsWith(".dsse.json") ? JSON.parse(text) : null;
    if (isJsonObject(envelope))
      texts.set(`payload of ${member.name}`, Buffer.from(String(envelope["payload"]), "base64").toString("utf8"));
  }
  return texts;
}
