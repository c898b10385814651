const prefixLength = "Bearer ".length + 16;

/** The first characters of the key that a request presents, by which a careless service finds who calls. */
export function keyPrefix(authorization: string): string {
  return authorization.slice(0, prefixLength);
}
