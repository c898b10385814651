import type { Screen } from "./screen.ts";

/** Text for screens without Unicode: look-alikes where there are any, a question mark for the rest. */
export function plainText(text: string, screen: Screen): string {
  if (screen.unicode) return text;
  return text
    .replaceAll("−", "-")
    .replace(/[–—]/g, "-")
    .replaceAll("…", "...")
    .replaceAll("∞", "inf")
    .replaceAll("±", "+-")
    .replace(/[^\u0020-\u007e]/gu, "?");
}
