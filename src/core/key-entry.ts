/** How a written manifest holds a key: by an environment variable, `readOnly` by `${ASSAY_READ_ONLY_KEY}`. */
export function keyEntry(name: string, withId: boolean): string {
  const variable = name === "primary" ? "ASSAY_API_KEY" : `ASSAY_${name.replaceAll(/[A-Z]/g, "_$&").toUpperCase()}_KEY`;
  return withId ? `{ secret: "\${${variable}}", id: key_id_of_it }` : `\${${variable}}`;
}
