/** Characters of a value in a message: enough to find it in its file. */
const longest = 80;

/** A value of a file for a message, as JSON where it is no text, and cut. Walks no more of it than is shown. */
export function shortValue(value: unknown): string {
  // The user and password of an address are a secret, wherever the address was written.
  return cutText(jsonStart(value, longest + 1).replaceAll(/\/\/[^/@\s"]*@/g, "//…@"), longest);
}

/** A name of a file for a message. */
export function shortName(name: string): string {
  return cutText(name, longest);
}

/** A message that quotes a part of a file: each word of it is cut. */
export function shortWords(message: string): string {
  return message.replaceAll(/\S{81,}/gu, (word) => cutText(word, longest));
}

function cutText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** JSON of a value, no longer than about `most` characters. */
function jsonStart(value: unknown, most: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, most));
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "nothing";
  const isList = Array.isArray(value);
  let text = isList ? "[" : "{";
  for (const [name, inner] of Object.entries(value)) {
    if (text.length > most) return text;
    if (text.length > 1) text += ",";
    if (!isList) text += `${jsonStart(name, most)}:`;
    text += jsonStart(inner, most);
  }
  return text + (isList ? "]" : "}");
}
