/**
 * Characters that change how text reads or acts without being seen: controls (C0, DEL, C1), format and bidirectional
 * controls, zero-width and other default-ignorable characters, line separators, lone surrogates, noncharacters.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

const shortNames: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/**
 * Writes every invisible character as `\n`, `\u001b` or `\u{e0041}`, so that no sink can be steered by it.
 * `keepLines` leaves line feeds and tabs for places that lay out lines themselves.
 */
export function showInvisible(text: string, options: { readonly keepLines?: boolean } = {}): string {
  return text.replace(invisible, (character) => {
    if (options.keepLines === true && (character === "\n" || character === "\t")) return character;
    return shortNames.get(character) ?? escapeCodePoint(character);
  });
}

function escapeCodePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
