/** A part of a secret within a text. */
export interface FoundPart {
  readonly from: number;
  readonly to: number;
  /** Place of the secret in the list. */
  readonly secret: number;
  /** The whole secret, letter for letter. */
  readonly whole: boolean;
}

/** Finds parts of secrets, whatever the case of their letters, in the time of one lookup in every few characters. */
export type PartFinder = (text: string) => readonly FoundPart[];

const gramLength = 4;
const sketchBytes = 65_536;

/**
 * `shortest`: characters of a part from which on it counts where letters and digits, or both cases, show that it is no word or
 * number; `plainest`: from which on it counts in any case. A whole secret always counts.
 */
export function createPartFinder(secrets: readonly string[], shortest: number, plainest: number): PartFinder {
  const places = new Map<number, (readonly [secret: number, at: number])[]>();
  const sketch = new Uint8Array(sketchBytes);
  const lower = secrets.map((secret) => secret.toLowerCase());
  for (const [index, secret] of lower.entries()) {
    for (let at = 0; at + gramLength <= secret.length; at += 1) {
      const gram = gramAt(secret, at);
      const known = places.get(gram);
      if (known === undefined) places.set(gram, [[index, at]]);
      else known.push([index, at]);
      sketch[sketchPlace(gram)] = 1;
    }
  }
  const stride = Math.max(1, Math.min(shortest, ...secrets.map(({ length }) => length)) - gramLength + 1);
  return (text) => {
    const found: FoundPart[] = [];
    let coveredTo = 0;
    for (let at = 0; at + gramLength <= text.length; at += stride) {
      const gram = gramAt(text, at);
      if (sketch[sketchPlace(gram)] === 0) continue;
      for (const [index, place] of places.get(gram) ?? []) {
        const part = extend(text, at, lower[index] ?? "", place);
        if (part === null || part.to <= coveredTo) continue;
        const written = text.slice(part.from, part.to);
        const whole = written === secrets[index];
        if (
          !whole &&
          written.length < (isSpecific(written) ? shortest : plainest) &&
          written.length < (secrets[index]?.length ?? 0)
        )
          continue;
        found.push({ ...part, secret: index, whole });
        coveredTo = part.to;
      }
    }
    return found;
  };
}

function gramAt(text: string, at: number): number {
  return (lowerCode(text, at) << 24) ^ (lowerCode(text, at + 1) << 16) ^ (lowerCode(text, at + 2) << 8) ^ lowerCode(text, at + 3);
}

function sketchPlace(gram: number): number {
  return (Math.imul(gram, 0x9e3779b1) >>> 16) & (sketchBytes - 1);
}

function lowerCode(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 65 && code <= 90 ? code + 32 : code;
}

/** As much of the secret as stands around the place where a gram of it was seen. */
function extend(text: string, at: number, secret: string, place: number): { readonly from: number; readonly to: number } | null {
  let before = 0;
  while (before < place && before < at && lowerCode(text, at - before - 1) === secret.charCodeAt(place - before - 1)) before += 1;
  let after = 0;
  while (place + after < secret.length && lowerCode(text, at + after) === secret.charCodeAt(place + after)) after += 1;
  return after < gramLength ? null : { from: at - before, to: at + after };
}

/** Whether it can hardly be a word or a number. */
function isSpecific(part: string): boolean {
  return /[a-z]/i.test(part) && (/[^a-z]/i.test(part) || /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(part));
}
