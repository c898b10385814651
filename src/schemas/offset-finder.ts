import { isCollection, isMap, isScalar, type Document, type Scalar, type YAMLMap } from "yaml";

interface Member {
  readonly key: Scalar;
  readonly value: unknown;
}

/**
 * Finds the offset of a member's name, so that a message points at the line that a person would edit. Looks through each mapping
 * once: a file may have as many problems as members.
 */
export function createOffsetFinder(document: Document): (path: readonly string[]) => number {
  const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Member>>();
  const membersOf = (node: YAMLMap): ReadonlyMap<string, Member> => {
    const known = indexes.get(node);
    if (known !== undefined) return known;
    const members = new Map<string, Member>();
    for (const { key, value } of node.items) if (isScalar(key)) members.set(String(key.value), { key, value });
    indexes.set(node, members);
    return members;
  };
  return (path) => {
    let node: unknown = document.contents;
    let offset = 0;
    for (const step of path) {
      if (!isCollection(node)) break;
      if (isMap(node)) {
        const member = membersOf(node).get(step);
        if (member === undefined) break;
        offset = member.key.range?.[0] ?? offset;
        node = member.value;
      } else {
        node = node.get(Number(step), true);
        if (typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range))
          offset = Number(node.range[0]);
      }
    }
    return offset;
  };
}
