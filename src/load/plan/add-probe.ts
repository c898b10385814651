import { isMap, parseDocument } from "yaml";

/** The file of a profile with a probe: its own one with another key, or one with the defaults. `key`: null for the key it has. */
export function addProbe(text: string, key: string | null): string {
  const document = parseDocument(text);
  if (!isMap(document.get("probe"))) document.set("probe", document.createNode({}));
  if (key !== null) document.setIn(["probe", "key"], key);
  return document.toString({ lineWidth: 0 });
}
