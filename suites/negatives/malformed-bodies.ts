import type { Case, CaseRequest, Need } from "../../src/conformance/plan/case.ts";
import type { EndpointId } from "../../src/core/exchange/endpoint.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import type { SuiteId } from "../../src/core/result/requirement.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";
import { violates } from "../intents.ts";

/** An operation with a JSON body that can be malformed as a whole. */
export interface MalformedTarget {
  readonly endpoint: EndpointId;
  readonly suite: SuiteId;
  readonly needs: readonly Need[];
  readonly valid: (manifest: Manifest) => unknown;
  /** Row for text that is no JSON. */
  readonly malformed: string;
  /** Row for a body of no bytes. */
  readonly empty: string;
  /** Row for JSON that is no object. */
  readonly notObject: string;
  readonly tokens: number;
}

interface Probe {
  readonly label: string;
  readonly requirement: string;
  readonly condition?: "no-object";
  readonly text: (valid: string) => string;
}

/** One case: a well-formed twin, then bodies that are no JSON, empty, or no object. */
export function malformedBodies(target: MalformedTarget): Case {
  const probes: readonly Probe[] = [
    { label: "truncated", requirement: target.malformed, text: (valid) => valid.slice(0, -1) },
    { label: "trailing-comma", requirement: target.malformed, text: (valid) => `${valid.slice(0, -1)},}` },
    { label: "bare-word", requirement: target.malformed, text: () => "hello" },
    { label: "empty", requirement: target.empty, text: () => "" },
    ...["[]", '"x"', "1", "null"].map((json, index): Probe => ({
      label: `not-an-object-${index + 1}`,
      requirement: target.notObject,
      condition: "no-object",
      text: () => json,
    })),
  ];
  return {
    id: `${target.suite}/rejects-malformed-${target.endpoint}`,
    suite: target.suite,
    title: "Refuses bodies that are no JSON object",
    covers: [...new Set([...probes.map((probe) => probe.requirement), "ERR-009"])],
    needs: target.needs,
    cost: {
      requests: { [target.endpoint]: probes.length + 1 },
      refused: { [target.endpoint]: probes.length },
      tokens: target.tokens,
    },
    run: async ({ send, manifest }): Promise<void> => {
      const valid = JSON.stringify(target.valid(manifest));
      const raw = (label: string, bytes: string, intent?: Intent): CaseRequest => ({
        endpoint: target.endpoint,
        label,
        body: { kind: "raw", bytes, contentType: "application/json" },
        intent,
      });
      await send(raw("twin", valid));
      for (const { label, requirement, condition = "malformed-json", text } of probes) {
        await send(raw(label, text(valid), violates(requirement, condition)));
      }
    },
  };
}
