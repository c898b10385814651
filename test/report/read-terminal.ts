/**
 * Lines that a terminal shows after our output: text, line feed, carriage return, cursor up, erase to the end, colours and
 * synchronized updates. Any other escape sequence is an error: we do not send one.
 */
export function readTerminal(output: string): readonly string[] {
  const rows: string[][] = [[]];
  let row = 0;
  let column = 0;
  const esc = String.fromCharCode(27);
  for (let index = 0; index < output.length;) {
    const character = output[index] ?? "";
    if (character === esc) {
      const [whole, digits = "", letter = ""] = /^\[\??(\d*)([A-Za-z])/.exec(output.slice(index + 1)) ?? [];
      if (whole === undefined) throw new Error("an escape sequence that is none of ours");
      const count = digits === "" ? 1 : Number(digits);
      if (letter === "A") row = Math.max(0, row - count);
      else if (letter === "J" && digits === "0") rows.splice(row, rows.length, (rows[row] ?? []).slice(0, column));
      else if (!"mhl".includes(letter)) throw new Error(`unexpected sequence ${whole}`);
      index += 1 + whole.length;
      continue;
    }
    index += 1;
    if (character === "\n") {
      row += 1;
      rows[row] ??= [];
    } else if (character === "\r") column = 0;
    else {
      (rows[row] ??= [])[column] = character;
      column += 1;
    }
  }
  const lines = Array.from(rows, (cells) => Array.from(cells ?? [], (cell) => cell ?? " ").join(""));
  while (lines.at(-1) === "") lines.pop();
  return lines;
}
