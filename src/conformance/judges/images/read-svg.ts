interface Svg {
  /** In pixels; null: width and height are not stated as such, or the element is cut. */
  readonly size: { readonly width: number; readonly height: number } | null;
}

/** A picture in SVG by its root element; null: it has another one, or is no XML. */
export function readSvg(bytes: Uint8Array): Svg | null {
  const text = new TextDecoder().decode(bytes.subarray(0, bytesRead));
  const rootAt = endOfProlog(text);
  const name = rootName.exec(text.slice(rootAt, rootAt + longestName))?.[0];
  if (name === undefined) return null;
  const end = endOfMarkup(text, rootAt, quotes);
  const attributes = end === -1 ? "" : text.slice(rootAt + name.length, end - 1);
  const [width, height] = [pixelsOf(attributes, "width"), pixelsOf(attributes, "height")];
  return { size: width === null || height === null ? null : { width, height } };
}

/** Of an element in the namespace of SVG, which may be bound to a prefix. */
const rootName = /^<(?:[^\s<>/:="']+:)?svg(?=[\s>/])/;
const longestName = 256;

/** The place of the root element: its declaration, comments and type of document may come before it. */
function endOfProlog(text: string): number {
  for (let at = 0; ;) {
    at = skipSpace(text, at);
    const isType = text.startsWith("<!DOCTYPE", at);
    const part = hidden.find(({ opens }) => opens.startsWith("<") && text.startsWith(opens, at));
    const end = isType ? endOfMarkup(text, at, hidden) : part === undefined ? -1 : endOfPart(text, at, part);
    if (end === -1) return at;
    at = end;
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charAt(at).trim() === "") at += 1;
  return at;
}

interface Part {
  readonly opens: string;
  readonly closes: string;
}

const quotes: readonly Part[] = [
  { opens: '"', closes: '"' },
  { opens: "'", closes: "'" },
];

/** Their content is no markup of the document. */
const hidden: readonly Part[] = [{ opens: "<?", closes: "?>" }, { opens: "<!--", closes: "-->" }, ...quotes];

/** -1: it does not end. */
function endOfPart(text: string, at: number, { opens, closes }: Part): number {
  const end = text.indexOf(closes, at + opens.length);
  return end === -1 ? -1 : end + closes.length;
}

/**
 * Behind the `>` of an element or of a type of document: neither one inside `parts` nor one of the declarations that a type of document
 * lists in brackets. -1: it does not end. Each character is looked at once, whatever the bytes are.
 */
function endOfMarkup(text: string, from: number, parts: readonly Part[]): number {
  let isListed = false;
  for (let at = from; at < text.length;) {
    const part = parts.find(({ opens }) => text.startsWith(opens, at));
    const character = text[at];
    if (part === undefined && character === ">" && !isListed) return at + 1;
    if (character === "[") isListed = true;
    if (character === "]") isListed = false;
    at = part === undefined ? at + 1 : endOfPart(text, at, part);
    if (at === -1) return -1;
  }
  return -1;
}

/** A length without a unit is one in pixels. */
function pixelsOf(attributes: string, name: string): number | null {
  for (const [, found, double, single] of attributes.matchAll(/\s([^\s="'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (found === name) return readPixels(double ?? single ?? "");
  }
  return null;
}

function readPixels(length: string): number | null {
  const pixels = /^\s*(\d+)(?:\.0+)?(?:px)?\s*$/.exec(length)?.[1];
  return pixels === undefined ? null : Number(pixels);
}

/** A root element stands at the beginning; declarations and comments of an editor may come before it. */
const bytesRead = 65_536;
