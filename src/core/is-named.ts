/** Whether a header field has this lower-case name; most names differ in length, and no text is made to compare. */
export function isNamed(name: string, lowerCaseName: string): boolean {
  return name.length === lowerCaseName.length && (name === lowerCaseName || name.toLowerCase() === lowerCaseName);
}
