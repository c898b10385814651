/** Flags of `assay doctor`, those of its features included. */
export interface DoctorFlags {
  readonly baseUrl?: string;
  readonly config?: string;
  readonly json: boolean;
  readonly redis?: string;
  readonly redisPrefix?: string;
  readonly profile?: string;
}
