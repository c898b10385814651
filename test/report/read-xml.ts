export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

/** Reads the XML 1.0 that a report may use (elements, attributes, text, the five entities, character references), strictly. */
export function readXml(source: string): XmlElement {
  if (Array.from(source).some((character) => !isXmlCharacter(character.codePointAt(0) ?? 0)))
    throw new Error("a character that XML 1.0 forbids");
  let rest = source.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/, "");
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const match = pattern.exec(rest);
    if (match !== null) rest = rest.slice(match[0].length);
    return match;
  };
  const readElement = (): XmlElement => {
    const open = take(/^<([A-Za-z][\w.-]*)((?:\s+[A-Za-z_][\w.:-]*="[^"<]*")*)\s*(\/?)>/);
    if (open === null) throw new Error(`no element at ${rest.slice(0, 80)}`);
    const attributes = new Map<string, string>();
    for (const [, name = "", value = ""] of (open[2] ?? "").matchAll(/([A-Za-z_][\w.:-]*)="([^"]*)"/g)) {
      if (attributes.has(name)) throw new Error(`attribute ${name} twice`);
      attributes.set(name, decode(value));
    }
    const children: XmlElement[] = [];
    let text = "";
    if (open[3] === "") {
      for (;;) {
        const chunk = take(/^[^<]+/);
        if (chunk !== null) text += decode(chunk[0]);
        else if (rest.startsWith("</")) break;
        else children.push(readElement());
      }
      if (take(/^<\/([\w.-]+)>/)?.[1] !== open[1]) throw new Error(`${open[1] ?? ""} is not closed`);
    }
    return { name: open[1] ?? "", attributes, children, text };
  };
  const root = readElement();
  if (rest.trim() !== "") throw new Error("text after the root element");
  return root;
}

/** XML 1.0, section 2.2. */
function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || code >= 0x10000;
}

function decode(text: string): string {
  if (text.includes("]]>")) throw new Error("]]> in text");
  return text.replace(/&([^;]*);?/g, (whole, name: string) => {
    const known: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
    const value = known[name] ?? (/^#\d+$/.test(name) ? String.fromCodePoint(Number(name.slice(1))) : undefined);
    if (value === undefined || !whole.endsWith(";")) throw new Error(`bad reference ${whole}`);
    return value;
  });
}
