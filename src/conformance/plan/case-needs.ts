import type { Manifest, ManifestFacts } from "../../core/manifest.ts";
import type { UntestedReason } from "../../core/result/verdict.ts";
import type { Supply } from "../../core/result/supply.ts";
import type { Need } from "./case.ts";

/** Why a case cannot run; one line of the report. */
export interface Unmet {
  readonly reason: UntestedReason;
  readonly text: string;
  /** The members that the manifest lacks, all of them. */
  readonly supply?: readonly Supply[];
}

/**
 * Why a case may not run, null when it may: a feature that is declared absent before anything that could be supplied, else the
 * first need that the manifest does not meet, with all that are lacking.
 */
export function findUnmetNeed(needs: readonly Need[], manifest: Manifest): Unmet | null {
  const unmet = needs.filter((need) => !isOffered(need, manifest));
  const first = unmet.find(({ kind }) => kind === "feature") ?? unmet[0];
  if (first === undefined) return null;
  const { reason, text } = lookUp(first, manifest);
  if (first.kind === "feature") return { reason, text };
  return { reason, text, supply: unmet.filter((need) => need.kind !== "feature") };
}

/** Absent, false and 0 are all ways to say no. */
export function isOffered(need: Need, manifest: ManifestFacts): boolean {
  const { offered } = lookUp(need, manifest);
  return offered !== undefined && offered !== null && offered !== false && offered !== 0 && offered !== "";
}

interface Offer {
  readonly offered: unknown;
  /** The reason that is reported if it is not offered. */
  readonly reason: UntestedReason;
  readonly text: string;
}

function lookUp(need: Need, manifest: ManifestFacts): Offer {
  const {
    keys,
    models,
    permissions,
    features,
    restore,
    faults,
    foreignKeyId,
    exclusive,
    target,
    control,
    declaredPrices = [],
  } = manifest;
  const offer = (offered: unknown, reason: UntestedReason, text: string): Offer => ({ offered, reason, text });
  switch (need.kind) {
    case "key":
      return offer(keys[need.name], "no-fixture", `no key named ${need.name} in the manifest`);
    case "key-id":
      return offer(keys[need.name]?.id, "no-fixture", `the manifest gives no id for the key ${need.name}`);
    case "model":
      return offer(models[need.use], "not-declared", `no ${need.use} model in the manifest`);
    case "permission":
      return offer(permissions[need.name], "not-permitted", `the manifest does not permit ${need.name}`);
    case "feature":
      return offer(features[need.name] ?? true, "not-declared", `the manifest says that the target has no ${need.name}`);
    case "restore": {
      const values = (need.key === "account" ? restore.account : restore.keys[need.key]) ?? {};
      // Without a member there is nothing that a change could send, and nothing to put back.
      return offer(Object.keys(values).length > 0, "not-permitted", `the manifest declares no values to restore for ${need.key}`);
    }
    case "price":
      return offer(declaredPrices.includes(need.name), "not-declared", `the manifest declares no prices.${need.name}`);
    case "fault":
      return offer(faults[need.status], "no-fixture", `the manifest names no way to make the target answer ${need.status}`);
    case "foreign-key-id":
      return offer(foreignKeyId, "no-fixture", "no foreignKeyId in the manifest");
    case "exclusive":
      return offer(exclusive, "not-declared", "the manifest does not say that nobody else uses the keys (exclusive: true)");
    case "plan":
      return offer(target.plan, "not-declared", "no plan in the manifest");
    case "control":
      return offer(control, "not-declared", "no control plane in the manifest");
    default:
      return need satisfies never;
  }
}
