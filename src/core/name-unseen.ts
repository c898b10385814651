const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

const names: Readonly<Record<string, string>> = {
  "\u0000": "NUL",
  "\t": "TAB",
  "\n": "LF",
  "\r": "CR",
  "\u001B": "ESC",
  "\uFEFF": "byte order mark EF BB BF",
  "\u200B": "zero width space",
};

/** Characters that nobody sees are named: they are often what is wrong. */
export function nameUnseen(text: string): string {
  return text.replace(unseen, (character) => `<${names[character] ?? `U+${hex(character)}`}>`);
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
