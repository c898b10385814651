import { endpoints, type EndpointId } from "../core/endpoint.ts";
import type { Manifest } from "../core/manifest.ts";
import type { UntestedReason } from "../core/verdict.ts";
import type { Need } from "./case.ts";

/** Why a case cannot run; one line of the report. */
export interface Unmet {
  readonly reason: UntestedReason;
  readonly text: string;
}

/** The first need that the manifest does not meet, null when the case may run. */
export function findUnmetNeed(needs: readonly Need[], manifest: Manifest): Unmet | null {
  for (const need of needs) {
    const unmet = checkNeed(need, manifest);
    if (unmet !== null) return unmet;
  }
  return null;
}

function checkNeed(need: Need, manifest: Manifest): Unmet | null {
  switch (need.kind) {
    case "key":
      return manifest.keys[need.name] === undefined
        ? { reason: "no-fixture", text: `no key named ${need.name} in the manifest` }
        : null;
    case "key-id":
      return manifest.keys[need.name]?.id == null
        ? { reason: "no-fixture", text: `the manifest gives no id for the key ${need.name}` }
        : null;
    case "model":
      return manifest.models[need.use] === null ? { reason: "not-declared", text: `no ${need.use} model in the manifest` } : null;
    case "permission": {
      const granted = manifest.permissions[need.name];
      return granted === false || granted === 0 || granted === null
        ? { reason: "not-permitted", text: `the manifest does not permit ${need.name}` }
        : null;
    }
    case "feature":
      return manifest.features[need.name] === false
        ? { reason: "not-declared", text: `the manifest says that the target has no ${need.name}` }
        : null;
    case "restore": {
      const declared = need.key === "account" ? manifest.restore.account : manifest.restore.keys[need.key];
      return declared == null
        ? { reason: "not-permitted", text: `the manifest declares no values to restore for ${need.key}` }
        : null;
    }
    case "fault":
      return manifest.faults[need.status] === undefined
        ? { reason: "no-fixture", text: `the manifest names no way to make the target answer ${need.status}` }
        : null;
    case "foreign-key-id":
      return manifest.foreignKeyId === null ? { reason: "no-fixture", text: "no foreignKeyId in the manifest" } : null;
    case "plan":
      return manifest.target.plan === null ? { reason: "not-declared", text: "no plan in the manifest" } : null;
  }
}

/** A whole operation may be declared absent: `features: { images: false }`. */
export function isOperationDeclared(endpoint: EndpointId, manifest: Manifest): boolean {
  return manifest.features[endpoint] !== false && endpoints[endpoint] !== undefined;
}
