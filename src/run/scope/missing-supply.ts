import { groupBy } from "../../core/group-by.ts";
import type { Unmet } from "../../conformance/plan/case-needs.ts";
import type { MissingSupply } from "../../core/result/scope-result.ts";
import { keyRoles } from "../../core/key-roles.ts";

/** Members of the manifest that these requirements lack, the one that most of them need first. */
export function missingSupply(untested: Iterable<readonly [id: string, unmet: Unmet]>): readonly MissingSupply[] {
  const needs = [...untested].flatMap(([id, { supply = [] }]) => supply.map((member) => ({ id, member })));
  return [...groupBy(needs, ({ member }) => member)]
    .map(([member, own]) => ({ member, what: supplyWords(member), requirements: own.map(({ id }) => id) }))
    .toSorted((one, other) => other.requirements.length - one.requirements.length || (one.member < other.member ? -1 : 1));
}

const permissionWords: Readonly<Record<string, string>> = {
  patchSettings: "lets assay change settings of keys with an id and a restore entry, and restore them",
  exhaustLimits: "lets assay send more requests than the limit of a key allows",
  spendUpToCents: "US cents that reaching spend caps may cost",
  fetchImages: "lets assay fetch generated images from the URLs in responses",
  createKeyProbe: "lets assay send one POST /v1/keys, to see that keys cannot be created",
  faultTriggers: "lets assay use the entries of faults to make the target fail once",
};

const otherWords: Readonly<Record<string, string>> = {
  foreignKeyId: "the key_id of a key of another workspace",
  "target.plan": "starter or pro",
  exclusive: "set it to true if nobody else uses these keys during a run",
  control: "a control plane that moves the clock: only the reference service has one",
  "restore.account": "the account settings to restore",
};

/** What a member of the manifest has to hold for the checks that need it. */
function supplyWords(member: string): string {
  const [group = "", name = "", part] = member.split(".");
  if (group === "keys" && part === "id") return "its key_id, for PATCH /v1/keys/{key_id}";
  if (group === "keys") return keyRoles.find((role) => role.name === name)?.state ?? "a key of the target";
  if (group === "models") return `the id of a model for ${name === "chat" ? "chat" : `${name}s`}`;
  if (group === "permissions") return permissionWords[name] ?? "true";
  if (group === "restore" && name === "keys") return "the settings of this key to restore";
  if (group === "faults") return `a header or path that makes the target answer ${name} once`;
  return otherWords[member] ?? "a value";
}
