import { endpoints, type EndpointId } from "../../core/exchange/endpoint.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { UntestedReason } from "../../core/result/verdict.ts";
import type { Need } from "./case.ts";

/** Why a case cannot run; one line of the report. */
export interface Unmet {
  readonly reason: UntestedReason;
  readonly text: string;
  /** Members of the manifest that would have to be there, all of them: `keys.admin`, `permissions.patchSettings`. */
  readonly supply?: readonly string[];
}

/**
 * Why a case may not run, null when it may: a feature that is declared absent before anything that could be supplied, else the
 * first need that the manifest does not meet, with all that are lacking.
 */
export function findUnmetNeed(needs: readonly Need[], manifest: Manifest): Unmet | null {
  const unmet = needs.flatMap((need) => {
    const why = checkNeed(need, manifest);
    return why === null ? [] : [{ need, why }];
  });
  const [first] = unmet;
  if (first === undefined) return null;
  const absent = unmet.find(({ need }) => need.kind === "feature");
  if (absent !== undefined) return absent.why;
  return { ...first.why, supply: unmet.map(({ need }) => memberOf(need)) };
}

/** Member of the manifest that meets a need. */
function memberOf(need: Need): string {
  switch (need.kind) {
    case "key":
      return `keys.${need.name}`;
    case "key-id":
      return `keys.${need.name}.id`;
    case "model":
      return `models.${need.use}`;
    case "permission":
      return `permissions.${need.name}`;
    case "feature":
      return `features.${need.name}`;
    case "restore":
      return need.key === "account" ? "restore.account" : `restore.keys.${need.key}`;
    case "fault":
      return `faults.${need.status}`;
    case "foreign-key-id":
      return "foreignKeyId";
    case "plan":
      return "target.plan";
    case "exclusive":
      return "exclusive";
    default:
      return need satisfies never;
  }
}

function checkNeed(need: Need, manifest: Manifest): Unmet | null {
  switch (need.kind) {
    case "key":
      return unless(manifest.keys[need.name], { reason: "no-fixture", text: `no key named ${need.name} in the manifest` });
    case "key-id":
      return unless(manifest.keys[need.name]?.id, {
        reason: "no-fixture",
        text: `the manifest gives no id for the key ${need.name}`,
      });
    case "model":
      return unless(manifest.models[need.use], { reason: "not-declared", text: `no ${need.use} model in the manifest` });
    case "permission":
      return unless(manifest.permissions[need.name], {
        reason: "not-permitted",
        text: `the manifest does not permit ${need.name}`,
      });
    case "feature":
      return unless(manifest.features[need.name] ?? true, {
        reason: "not-declared",
        text: `the manifest says that the target has no ${need.name}`,
      });
    case "restore":
      return unless(need.key === "account" ? manifest.restore.account : manifest.restore.keys[need.key], {
        reason: "not-permitted",
        text: `the manifest declares no values to restore for ${need.key}`,
      });
    case "fault":
      return unless(manifest.faults[need.status], {
        reason: "no-fixture",
        text: `the manifest names no way to make the target answer ${need.status}`,
      });
    case "foreign-key-id":
      return unless(manifest.foreignKeyId, { reason: "no-fixture", text: "no foreignKeyId in the manifest" });
    case "exclusive":
      return unless(manifest.exclusive, {
        reason: "not-declared",
        text: "the manifest does not say that nobody else uses the keys (exclusive: true)",
      });
    case "plan":
      return unless(manifest.target.plan, { reason: "not-declared", text: "no plan in the manifest" });
    default:
      return need satisfies never;
  }
}

/** Absent, false and 0 are all ways to say no. */
function unless(offered: unknown, unmet: Unmet): Unmet | null {
  return offered === undefined || offered === null || offered === false || offered === 0 || offered === "" ? unmet : null;
}

/** A whole operation may be declared absent: `features: { images: false }`. */
export function isOperationDeclared(endpoint: EndpointId, manifest: Manifest): boolean {
  return manifest.features[endpoint] !== false && endpoints[endpoint] !== undefined;
}
