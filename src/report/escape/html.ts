import { showInvisible } from "./visible.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/** Text for an HTML text node or a quoted attribute value; invisible characters become visible. */
export function escapeHtml(text: string): string {
  return showInvisible(text, { keepLines: true }).replace(/[&<>"'`]/g, (character) => entities[character] ?? character);
}
