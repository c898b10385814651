import type { AccountRecord, KeySettingsValues } from "../keys/key-record.ts";
import type { Refusal } from "../refusal.ts";

/** Validated body of PATCH /v1/keys/{key_id}: an absent member stays as it is, null removes the limit. */
export type KeyChange = { readonly [Name in keyof KeySettingsValues]?: KeySettingsValues[Name] | undefined };

/** Validated body of PATCH /v1/account. */
export interface AccountChange {
  readonly account_spend_cap?: number | null | undefined;
}

export type KeyChangeOutcome =
  | { readonly kind: "changed"; readonly settings: KeySettingsValues }
  /** The id does not exist or belongs to another workspace: the two cannot be distinguished (spec, Errors, 404). */
  | { readonly kind: "refused"; readonly refusal: Refusal };

export type AccountChangeOutcome = { readonly kind: "changed"; readonly settings: Pick<AccountRecord, "account_spend_cap"> };
