import type { Manifest } from "../manifest.ts";
import type { MissingSupply } from "./scope-result.ts";

/** A member that an owner can add to a manifest, so that more can be judged. */
export type Supply =
  | { readonly kind: "key"; readonly name: string }
  | { readonly kind: "key-id"; readonly name: string }
  | { readonly kind: "model"; readonly use: keyof Manifest["models"] }
  | { readonly kind: "permission"; readonly name: Exclude<keyof Manifest["permissions"], "loadUpToRps"> }
  | { readonly kind: "restore"; readonly key: string }
  /** The owner states that this work has a price. */
  | { readonly kind: "price"; readonly name: keyof Manifest["prices"] }
  | { readonly kind: "fault"; readonly status: string }
  | { readonly kind: "foreign-key-id" }
  | { readonly kind: "plan" }
  /** Nobody else uses the keys during the run. */
  | { readonly kind: "exclusive" }
  /** A control plane that moves the clock. */
  | { readonly kind: "control" };

/** A supply that is not there, with the words of a report. */
export interface Lack extends MissingSupply {
  readonly supply: Supply;
}
