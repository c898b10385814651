/** Everything that a terminal or an editor would act on. */
const unseen = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

/** JSON (RFC 8259) of the same value whose text holds no control, format or bidirectional character. */
export function visibleJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(unseen, escapeUnits);
}

function escapeUnits(characters: string): string {
  let escaped = "";
  for (let index = 0; index < characters.length; index += 1) {
    escaped += `\\u${characters.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}
