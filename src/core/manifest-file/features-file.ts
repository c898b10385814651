export interface FeaturesFile {
  /** false: POST /v1/chat/completions is not offered */
  readonly chat?: boolean;
  /** false: chat completions cannot be streamed */
  readonly stream?: boolean;
  /** true: stream_options.include_usage is understood */
  readonly streamUsage?: boolean;
  /** false: the chat model takes no tools */
  readonly tools?: boolean;
  /** false: POST /v1/embeddings is not offered */
  readonly embeddings?: boolean;
  /** a number of dimensions that the embedding model takes, or false: it takes none */
  readonly dimensions?: boolean | Whole;
  /** false: POST /v1/images/generations is not offered */
  readonly images?: boolean;
  /** false: POST /v1/audio/transcriptions is not offered */
  readonly transcriptions?: boolean;
  /** false: GET /v1/models is not offered */
  readonly models?: boolean;
  /** false: GET /v1/usage is not offered */
  readonly usage?: boolean;
  /**
   * seconds until usage shows in the report, 0 or more
   * @minimum 0
   */
  readonly usageSettleSeconds?: number;
  /** false: PATCH /v1/keys/{key_id} is not offered */
  readonly "key-settings"?: boolean;
  /** false: PATCH /v1/account is not offered */
  readonly "account-settings"?: boolean;
  /** false: POST /v1/agents is not offered */
  readonly agents?: boolean;
  /** false: GET /v1/workspaces is not offered */
  readonly workspaces?: boolean;
  /** false: GET /v1/verify is not offered */
  readonly verify?: boolean;
  /**
   * length of the rate-limit window in seconds, where it is not a minute
   * @exclusiveMinimum 0
   */
  readonly windowSeconds?: number;
}

/** @asType integer */
type Whole = number;
