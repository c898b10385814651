/** A value that is masked wherever it shows, because of the place that it came from. */
export interface NamedSecret {
  readonly value: string;
  /** It is shown as `<NAME>`: `env:GATEWAY_PASS`, `header:x-api-extra`. */
  readonly name: string;
  /**
   * A credential gives something away by its parts, too. Other values, such as the id of a model, are sent and echoed in lawful texts
   * whose parts are alike: only the whole of one is masked, so that texts that differ still differ.
   */
  readonly isCredential: boolean;
}
