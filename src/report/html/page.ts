import { createHash } from "node:crypto";
import { compactPath } from "../charts/compact-path.ts";
import { html, markupOf, type SafeHtml, trustMarkup } from "../escape/safe-html.ts";
import { script } from "./script.ts";
import { styles } from "./styles.ts";

/** A complete document around a body: one file, no request, no inline handler, no style attribute. */
export function renderPage(title: string, body: SafeHtml): string {
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(styles)}'`,
    `script-src '${hashOf(script)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const head = html`<meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${trustMarkup(policy)}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="referrer" content="no-referrer" />
    <meta name="robots" content="noindex" />
    <title>${title}</title>`;
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n',
    markupOf(head),
    `\n<style>${styles}</style>\n</head>\n<body>\n`,
    compactPaths(markupOf(body)),
    `\n<script>${script}</script>\n</body>\n</html>\n`,
  ].join("");
}

/** Only our own charts hold a `d` attribute: in text of a target the quote is escaped. */
function compactPaths(markup: string): string {
  return markup.replace(/(\sd=)"(M[^"]*)"/g, (_, name: string, d: string) => `${name}"${compactPath(d)}"`);
}

/** Source expression of Content Security Policy level 3 for an inline block. */
function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
}
