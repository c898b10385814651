/** Name of the file that holds the compiled check of a schema. */
export function compiledName(name: string, verbose: boolean): string {
  return `${name.replaceAll("/", "-")}${verbose ? ".verbose" : ""}.cjs`;
}
