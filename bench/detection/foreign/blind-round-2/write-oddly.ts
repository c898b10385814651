/** JSON in ASCII alone, with escaped slashes, and whole numbers with a fraction of zero: 12.0. */
export function writeOddly(value: unknown): string {
  if (typeof value === "number" && Number.isSafeInteger(value)) return `${value}.0`;
  if (typeof value === "string") {
    return JSON.stringify(value)
      .replaceAll("/", String.raw`\/`)
      .replaceAll(/[\u007f-\uffff]/g, (unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, "0"));
  }
  if (Array.isArray(value)) return `[${value.map(writeOddly).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${members.map(([name, inner]) => `${writeOddly(name)}: ${writeOddly(inner)}`).join(", ")}}`;
}
