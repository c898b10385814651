export interface PermissionsFile {
  /** true or false; true: settings of keys that have an id and a restore entry are changed and put back */
  readonly patchSettings?: boolean;
  /** true or false; true: a key is driven over its request limit */
  readonly exhaustLimits?: boolean;
  /**
   * US cents, 0 or more, that reaching spend caps may cost
   * @minimum 0
   */
  readonly spendUpToCents?: number;
  /** true or false; true: generated images are fetched from the URLs in responses */
  readonly fetchImages?: boolean;
  /** true or false; true: one POST /v1/keys is sent, to see that keys cannot be created */
  readonly createKeyProbe?: boolean;
  /** true or false; true: the entries of faults are used to make the target fail once */
  readonly faultTriggers?: boolean;
  /**
   * requests per second, the most that the target is sent, or null: a handful, and any number on this machine
   * @exclusiveMinimum 0
   */
  readonly loadUpToRps?: number | null;
}
