import type { Unmet } from "../../conformance/plan/case-needs.ts";
import { groupBy } from "../../core/group-by.ts";
import { keyRoles } from "../../core/key-roles.ts";
import type { MissingSupply } from "../../core/result/scope-result.ts";
import type { Lack, Supply } from "../../core/result/supply.ts";

/** The supplies that these requirements lack in the manifest, the one that most of them need first. */
export function missingSupply(untested: Iterable<readonly [id: string, unmet: Unmet]>): readonly Lack[] {
  const needs = [...untested].flatMap(([id, { supply: lacking = [] }]) => lacking.map((supply) => ({ id, supply })));
  return [...groupBy(needs, ({ supply }) => nameSupply(supply).member).values()]
    .map(([first, ...more]) => ({
      supply: first.supply,
      ...nameSupply(first.supply),
      requirements: [first, ...more].map(({ id }) => id),
    }))
    .toSorted((one, other) => other.requirements.length - one.requirements.length || (one.member < other.member ? -1 : 1));
}

const permissionWords: Readonly<Record<Extract<Supply, { readonly kind: "permission" }>["name"], string>> = {
  patchSettings: "lets assay change settings of keys with an id and a restore entry, and restore them",
  exhaustLimits: "lets assay send more requests than the limit of a key allows",
  spendUpToCents: "US cents that reaching spend caps may cost",
  fetchImages: "lets assay fetch generated images from the URLs in responses",
  createKeyProbe: "lets assay send one POST /v1/keys, to see that keys cannot be created",
  faultTriggers: "lets assay use the entries of faults to make the target fail once",
};

/** The member of the manifest that holds it, and what has to be there. */
function nameSupply(supply: Supply): Pick<MissingSupply, "member" | "what"> {
  switch (supply.kind) {
    case "key":
      return {
        member: `keys.${supply.name}`,
        what: keyRoles.find(({ name }) => name === supply.name)?.state ?? "a key of the target",
      };
    case "key-id":
      return { member: `keys.${supply.name}.id`, what: "its key_id, for PATCH /v1/keys/{key_id}" };
    case "model":
      return {
        member: `models.${supply.use}`,
        what: `the id of a model for ${supply.use === "chat" ? "chat" : `${supply.use}s`}`,
      };
    case "permission":
      return { member: `permissions.${supply.name}`, what: permissionWords[supply.name] };
    case "restore":
      return supply.key === "account"
        ? { member: "restore.account", what: "the account settings to restore" }
        : { member: `restore.keys.${supply.key}`, what: "the settings of this key to restore" };
    case "price":
      return { member: `prices.${supply.name}`, what: "the price of this work, in US dollars" };
    case "fault":
      return {
        member: `faults.${supply.status}`,
        what: `a header or path that makes the target answer ${supply.status} once`,
      };
    case "foreign-key-id":
      return { member: "foreignKeyId", what: "the key_id of a key of another workspace" };
    case "plan":
      return { member: "target.plan", what: "starter or pro" };
    case "exclusive":
      return { member: "exclusive", what: "set it to true if nobody else uses these keys during a run" };
    case "control":
      return { member: "control", what: "a control plane that moves the clock: only the reference service has one" };
    default:
      return supply satisfies never;
  }
}
