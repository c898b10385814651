const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const letters = 5;

/**
 * Name of a defect, the same in every run: what is violated (`CHAT-020`, `limits.over-admission`), then five characters for the
 * subject and the kind of the violation: `CHAT-020.k3f9q`. `parts` hold nothing that changes from run to run: no counts, instants,
 * sequence numbers or bytes of an answer.
 */
export function findingId(violated: string, ...parts: readonly string[]): string {
  // FNV-1a over 32 bits, then mixed: few names share a head, so 25 bits keep them apart.
  let hash = 0x811c9dc5;
  for (const character of parts.join("\u0000")) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b) >>> 0;
  let text = "";
  for (let index = 0; index < letters; index += 1) text += alphabet[(hash >>> (5 * index)) & 31];
  return `${violated}.${text}`;
}

/** The requirement or check that a finding id names as violated; null for a word that no finding has for its name. */
export function violatedIn(id: string): string | null {
  const at = id.lastIndexOf(".");
  const suffix = id.slice(at + 1);
  if (at < 1 || suffix.length !== letters) return null;
  return suffix.split("").every((character) => alphabet.includes(character)) ? id.slice(0, at) : null;
}
