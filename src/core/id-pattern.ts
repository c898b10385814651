/** Whether an id fits a pattern: `*` stands for any characters, capitals do not matter. `AUTH-0*`, `chat/*`. */
export function matchesId(pattern: string, id: string): boolean {
  const source = pattern
    .trim()
    .split("*")
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${source.join(".*")}$`, "i").test(id);
}
