/** Environment variable that a written manifest refers to for a key: `readOnly` to `ASSAY_READ_ONLY_KEY`. */
export function keyVariable(name: string): string {
  return name === "primary" ? "ASSAY_API_KEY" : `ASSAY_${name.replaceAll(/[A-Z]/g, "_$&").toUpperCase()}_KEY`;
}
