import type { Predicate } from "./predicate.ts";
import { predicateType } from "./predicate.ts";

/** in-toto Statement v1 (github.com/in-toto/attestation). */
export interface Statement {
  readonly _type: string;
  readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
  readonly predicateType: string;
  readonly predicate: Predicate;
}

export const statementType: string = "https://in-toto.io/Statement/v1";

/** The bytes of a statement over these members, by name and digest of what is stored; one form for equal content. */
export function writeStatement(digests: ReadonlyMap<string, string>, predicate: Predicate): Buffer {
  const statement: Statement = {
    _type: statementType,
    subject: [...digests]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType,
    predicate,
  };
  return Buffer.from(JSON.stringify(statement));
}
