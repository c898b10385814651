export interface TargetFile {
  /**
   * a name for reports
   * @minLength 1
   */
  readonly name?: string;
  /**
   * an absolute http or https URL without credentials, such as https://staging.example/api
   * @pattern ^(https?://[^/@]+(/.*)?|.*\$\{[A-Za-z_][A-Za-z0-9_]*\}.*)$
   */
  readonly baseUrl: string;
  /** starter (60 requests per minute), pro (600), or null: not known */
  readonly plan?: "starter" | "pro" | null;
  /**
   * milliseconds until the response head, 100 to 600000
   * @asType integer
   * @minimum 100
   * @maximum 600000
   */
  readonly timeoutMs?: number;
  /**
   * milliseconds between two reads of a body, 100 to 600000; timeoutMs by default
   * @asType integer
   * @minimum 100
   * @maximum 600000
   */
  readonly bodyIdleMs?: number;
  /**
   * milliseconds for all of a body, 100 to 3600000; three times timeoutMs by default
   * @asType integer
   * @minimum 100
   * @maximum 3600000
   */
  readonly bodyTotalMs?: number;
  /**
   * bytes after which a body is cut, 1024 to 1073741824; 67108864 by default
   * @asType integer
   * @minimum 1024
   * @maximum 1073741824
   */
  readonly maxBodyBytes?: number;
  /**
   * events after which a stream is cut, 1 to 10000000; 100000 by default
   * @asType integer
   * @minimum 1
   * @maximum 10000000
   */
  readonly maxEvents?: number;
  readonly headers?: HeadersFile;
  /** how the certificate of the target is verified: rejectUnauthorized and caFile */
  readonly tls?: TlsFile;
  /**
   * URL of the HTTP proxy that leads to the target, or null: none is used; by default HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY
   * decide
   */
  readonly proxy?: string | null;
}

export interface TlsFile {
  /** true or false; false: certificates are not verified, for a test system with one of its own making */
  readonly rejectUnauthorized?: boolean;
  /** path of a PEM file with the certificate authority of the target, or null */
  readonly caFile?: string | null;
}

/**
 * at most 100 header names with string values
 * @maxProperties 100
 */
export type HeadersFile = Readonly<Record<string, HeaderValue>>;

/** a string */
type HeaderValue = string;
