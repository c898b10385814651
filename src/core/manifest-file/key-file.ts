// No comment on the interface: the member that holds it says what may stand there, a text or a mapping.
export interface KeyFile {
  /**
   * a reference such as ${ASSAY_API_KEY}
   * @minLength 1
   */
  readonly secret: string;
  /** the key_id of PATCH /v1/keys/{key_id} */
  readonly id?: string | null;
  /**
   * an ISO 8601 timestamp, for a key that is still propagating
   * @format date-time
   */
  readonly createdAt?: string | null;
  /** true for a key of fewer than 8 characters that is no secret: it is not masked */
  readonly allowShort?: boolean;
}
