/**
 * The rows that a run could judge and those that it could not. The scope is what was asked for and can be asked for: the
 * selected suites less the rows whose key, permission, feature or control the manifest does not declare.
 */
export interface ScopeResult {
  /** Requirements with a verdict: pass, fail, advisory or observed. */
  readonly judged: number;
  /** Judged or open. */
  readonly inScope: number;
  /** Untested, because the manifest does not supply what they need, or waives them. */
  readonly outside: number;
  /** Conditional rows whose condition never arose. */
  readonly notApplicable: number;
  /** Rows of suites or cases that were not selected. */
  readonly notSelected: number;
  /** Binding rows in scope that could not be judged: exit code 3. */
  readonly open: readonly ScopeGap[];
  /** The members that the manifest would have to supply, most rows first. */
  readonly missing: readonly MissingSupply[];
  readonly waived: readonly WaivedRows[];
  /** Entries of `require` that are not met, with the rows that lack a verdict. */
  readonly unmet: readonly { readonly entry: string; readonly requirements: readonly string[] }[];
  /** Rows that an earlier run judged and this one did not (`--expect-scope`). */
  readonly lost: readonly ScopeGap[];
  /** YAML for the manifest that supplies everything in `missing`; null where nothing is missing. */
  readonly yaml: string | null;
}

export interface ScopeGap {
  readonly id: string;
  readonly reason: string;
}

export interface MissingSupply {
  /** Member of the manifest: `keys.readOnly`, `permissions.fetchImages`, `models.embedding`. */
  readonly member: string;
  /** The thing that has to be there: the state of the key, or the right that the permission gives. */
  readonly what: string;
  /** Requirements that need it, alone or with others. */
  readonly requirements: readonly string[];
}

export interface WaivedRows {
  readonly id: string;
  readonly reason: string;
  readonly expires: string | null;
  /** No longer counts: its rows are treated as if it were not there. */
  readonly expired: boolean;
  /** Rows that it keeps from being required. */
  readonly requirements: readonly string[];
}
