import { showInvisible } from "./visible.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\n": "&#10;",
  "\t": "&#9;",
};

/**
 * Text for an XML 1.0 attribute or element. Characters that XML 1.0 (section 2.2) forbids have already become visible
 * escapes; line feeds are character references because attribute values are normalized (section 3.3.3). No CDATA:
 * readers differ in how they treat `]]>`.
 */
export function escapeXml(text: string): string {
  return showInvisible(text, { keepLines: true }).replace(/[&<>"'\n\t]/g, (character) => entities[character] ?? character);
}
