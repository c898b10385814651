export interface RestoreFile {
  /** key names with their settings */
  readonly keys?: Readonly<Record<string, KeySettings>>;
  /** account_spend_cap */
  readonly account?: AccountSettings | null;
}

/** monthly_spend_cap, burst_limit, cooldown_seconds */
interface KeySettings {
  /** cents, the monthly spend cap, or null: no cap */
  readonly monthly_spend_cap?: Count | null;
  /** requests per minute, the burst limit, or null: none */
  readonly burst_limit?: Count | null;
  /** seconds of the cooldown, or null: none */
  readonly cooldown_seconds?: Count | null;
}

interface AccountSettings {
  /** cents, the spend cap of the account, or null: no cap */
  readonly account_spend_cap: Count | null;
}

/**
 * @asType integer
 * @minimum 0
 */
type Count = number;
