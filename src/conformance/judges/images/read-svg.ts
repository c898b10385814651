interface Svg {
  /** In pixels; null: width and height are not stated as such. */
  readonly size: { readonly width: number; readonly height: number } | null;
}

/** A picture in SVG by its root element; null: it has another one, or is no XML. */
export function readSvg(bytes: Uint8Array): Svg | null {
  const text = skipProlog(new TextDecoder().decode(bytes.subarray(0, bytesRead)));
  const root = /^<svg(?=[\s>/])([^>]*)>/.exec(text)?.[1];
  if (root === undefined) return null;
  const [width, height] = [pixelsOf(root, "width"), pixelsOf(root, "height")];
  return { size: width === null || height === null ? null : { width, height } };
}

/** From the root element on: its declaration, comments and type of document may stand before it. */
function skipProlog(text: string): string {
  for (let rest = text.trimStart(); ;) {
    const part = prolog.find(({ opens }) => rest.startsWith(opens));
    const end = part === undefined ? -1 : rest.indexOf(part.closes);
    if (part === undefined || end === -1) return rest;
    rest = rest.slice(end + part.closes.length).trimStart();
  }
}

const prolog = [
  { opens: "<?", closes: "?>" },
  { opens: "<!--", closes: "-->" },
  { opens: "<!DOCTYPE", closes: ">" },
] as const;

/** A length without a unit is one in pixels. */
function pixelsOf(attributes: string, name: string): number | null {
  const found = new RegExp(`\\s${name}\\s*=\\s*["'](\\d+)(?:\\.0+)?(?:px)?["']`).exec(attributes)?.[1];
  return found === undefined ? null : Number(found);
}

/** A root element stands at the beginning. */
const bytesRead = 4096;
