/** A file of the run folder. */
export interface FileDigest {
  readonly name: string;
  /** Of its bytes, hexadecimal. */
  readonly sha256: string;
}
