import { generalRows } from "../../src/conformance/judges/rejections/general-rows.ts";
import type { EndpointId } from "../../src/core/exchange/endpoint.ts";
import type { ViolatedCondition } from "../../src/core/exchange/intent.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import type { SuiteId } from "../../src/core/result/requirement.ts";
import type { Case, Need } from "../../src/conformance/plan/case.ts";
import { violates } from "../requests/intents.ts";
import { jsonRequest } from "../requests/json-request.ts";
import type { Members } from "../requests/members.ts";

/** One operation whose members can be spoiled one at a time. */
export interface NegativeEndpoint {
  /** The suite is named after it. */
  readonly endpoint: EndpointId & SuiteId;
  readonly needs: readonly Need[];
  /** A request that a correct service accepts. */
  readonly valid: (manifest: Manifest) => Members;
  /** Worst case of one accepted request. */
  readonly cost: { readonly tokens: number; readonly images?: number };
}

/** One member and every way to spoil it: adding a field to the suites is adding one of these. */
export interface NegativeField {
  /** Dotted path into the members: `temperature`, `messages.0.role`. */
  readonly field: string;
  /** Name of the case where one member needs two twins; absent: made from the path. */
  readonly slug?: string;
  /** Lawful value of the positive twin; absent: what `valid` holds there already. */
  readonly lawful?: unknown;
  readonly violations: readonly FieldViolation[];
}

export interface FieldViolation {
  readonly requirement: string;
  readonly condition: Extract<ViolatedCondition, "missing-field" | "out-of-range" | "wrong-type" | "unknown-model">;
  /** Values that break the rule, one request each; absent for a missing field. */
  readonly values?: readonly unknown[];
}

/** One case per member: the positive twin, then one request per violation that differs from the twin in that member only. */
export function negativeCases(endpoint: NegativeEndpoint, fields: readonly NegativeField[]): readonly Case[] {
  return fields.map((row) => negativeCase(endpoint, row));
}

const missing: unique symbol = Symbol("missing");

function negativeCase(target: NegativeEndpoint, row: NegativeField): Case {
  const probes = row.violations.flatMap((violation) =>
    (violation.values ?? [missing]).map((value, index) => ({
      violation,
      value,
      label: `${violation.requirement.toLowerCase()}-${index + 1}`,
    })),
  );
  const slug = row.slug ?? row.field.replaceAll(".", "-").replaceAll("_", "-");
  return {
    id: `${target.endpoint}/rejects-bad-${slug}`,
    suite: target.endpoint,
    title: `Refuses bad values of ${row.field}`,
    covers: [...new Set(row.violations.flatMap(({ requirement, condition }) => [requirement, ...generalRows[condition]]))],
    needs: target.needs,
    cost: {
      requests: { [target.endpoint]: probes.length + 1 },
      tokens: target.cost.tokens * (probes.length + 1),
      ...(target.cost.images === undefined ? {} : { images: target.cost.images }),
    },
    run: async ({ send, manifest }): Promise<void> => {
      const valid = target.valid(manifest);
      const twin = "lawful" in row ? replaceMember(valid, row.field, row.lawful) : valid;
      await send(jsonRequest(target.endpoint, "twin", twin));
      for (const { violation, value, label } of probes) {
        const members = value === missing ? removeMember(twin, row.field) : replaceMember(twin, row.field, value);
        const intent = violates(violation.requirement, violation.condition, { field: row.field });
        await send(jsonRequest(target.endpoint, label, members, intent));
      }
    },
  };
}

/** One case: a valid twin, then bodies that are JSON but no object, and such that are no JSON. */
export function otherJson(
  { endpoint, needs, valid, cost }: NegativeEndpoint,
  { noObject, malformed }: { readonly noObject: string; readonly malformed: string },
): Case {
  return {
    id: `${endpoint}/rejects-other-json`,
    suite: endpoint,
    title: "Refuses a body that is no JSON object",
    covers: [noObject, malformed, ...generalRows["malformed-json"]],
    needs,
    cost: { requests: { [endpoint]: 6 }, ...cost },
    run: async ({ send, manifest }): Promise<void> => {
      const twin = valid(manifest);
      await send(jsonRequest(endpoint, "twin", twin));
      for (const [label, value] of Object.entries({ array: [], string: "text", null: null })) {
        await send(jsonRequest(endpoint, label, value, violates(noObject, "no-object")));
      }
      const text = JSON.stringify(twin);
      for (const [label, bytes] of Object.entries({ truncated: text.slice(0, -1), "text-behind": `${text} and more` })) {
        const body = { kind: "raw", bytes, contentType: "application/json" } as const;
        await send({ endpoint, label, body, intent: violates(malformed, "malformed-json") });
      }
    },
  };
}

/** A copy with the member at the dotted path replaced; numbers in the path index arrays. */
export function replaceMember(members: Members, path: string, value: unknown): Members {
  return edit(members, path.split("."), (parent, name) => {
    if (Array.isArray(parent)) parent[Number(name)] = value;
    else parent[name] = value;
  });
}

export function removeMember(members: Members, path: string): Members {
  return edit(members, path.split("."), (parent, name) => {
    if (Array.isArray(parent)) parent.splice(Number(name), 1);
    else delete parent[name];
  });
}

type Container = Record<string, unknown> | unknown[];

function edit(members: Members, path: readonly string[], change: (parent: Container, name: string) => void): Members {
  const copy = copyContainer(members) as Record<string, unknown>;
  let parent: Container = copy;
  for (const name of path.slice(0, -1)) {
    const child = copyContainer((parent as Record<string, unknown>)[name]);
    (parent as Record<string, unknown>)[name] = child;
    parent = child;
  }
  change(parent, path.at(-1) ?? "");
  return copy;
}

/** Copies one level; bytes of files stay shared. */
function copyContainer(value: unknown): Container {
  return Array.isArray(value) ? [...(value as unknown[])] : { ...(value as Record<string, unknown>) };
}
