import { showInvisible } from "./visible.ts";

/** Message of a GitHub workflow command: the runner decodes exactly these three escapes. */
export function githubData(text: string): string {
  return showInvisible(text, { keepLines: true }).replaceAll("%", "%25").replaceAll("\n", "%0A").replaceAll("\r", "%0D");
}

/** Property value of a GitHub workflow command: a colon or comma would end it. */
export function githubProperty(text: string): string {
  return githubData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
