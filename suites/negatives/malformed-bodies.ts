import type { Case, Need } from "../../src/conformance/plan/case.ts";
import type { EndpointId } from "../../src/core/exchange/endpoint.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import type { SuiteId } from "../../src/core/result/requirement.ts";

/** An operation with a JSON body that can be malformed as a whole. */
export interface MalformedTarget {
  readonly endpoint: EndpointId;
  readonly suite: SuiteId;
  readonly needs: readonly Need[];
  readonly valid: (manifest: Manifest) => unknown;
  readonly path?: (manifest: Manifest) => string;
  /** Row for text that is no JSON. */
  readonly malformed: string;
  /** Row for a body of no bytes; absent: not sent. */
  readonly empty?: string;
  /** Row for JSON that is no object; absent: not sent. */
  readonly notObject?: string;
  readonly tokens: number;
  readonly images?: number;
  readonly resource?: string;
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
    ...(target.empty === undefined ? [] : [{ label: "empty", requirement: target.empty, text: (): string => "" }]),
    ...(target.notObject === undefined
      ? []
      : ["[]", '"x"', "1", "null"].map((json, index) => ({
          label: `not-an-object-${index + 1}`,
          requirement: target.notObject ?? "",
          condition: "no-object" as const,
          text: (): string => json,
        }))),
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
      ...(target.images === undefined ? {} : { images: target.images }),
    },
    ...(target.resource === undefined ? {} : { resource: target.resource }),
    run: async ({ send, manifest }): Promise<void> => {
      const valid = JSON.stringify(target.valid(manifest));
      const path = target.path === undefined ? {} : { path: target.path(manifest) };
      const raw = (bytes: string): { readonly kind: "raw"; readonly bytes: string; readonly contentType: string } => ({
        kind: "raw",
        bytes,
        contentType: "application/json",
      });
      await send({ endpoint: target.endpoint, label: "twin", ...path, body: raw(valid) });
      for (const { label, requirement, condition = "malformed-json", text } of probes) {
        await send({
          endpoint: target.endpoint,
          label,
          ...path,
          intent: { kind: "violates", requirement, condition, twin: "twin" },
          body: raw(text(valid)),
        });
      }
    },
  };
}
