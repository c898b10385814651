import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { headerValues } from "../../src/core/exchange/headers/header-list.ts";
import { factsOf } from "../../src/core/exchange/exchange-facts.ts";
import { credentialStates, type EndpointClass, endpointClasses } from "../../suites/credentials/credential-states.ts";
import { examineHealthy } from "../conformance/examine-healthy.ts";

function classOf(exchange: Exchange): EndpointClass | null {
  return exchange.endpoint === "chat" && factsOf(exchange).asksForStream ? "chat-stream" : exchange.endpoint;
}

const { exchanges } = await examineHealthy();
const asked = exchanges.filter(({ stage, endpoint }) => stage === "conformance" && endpoint !== null);
const met = new Set(
  asked.flatMap((exchange) => {
    const authorization = headerValues(exchange.request.headers, "authorization")[0] ?? null;
    return credentialStates
      .filter(({ isPresented }) => isPresented(authorization))
      .map(({ name }) => `${name}: ${classOf(exchange)}`);
  }),
);

describe("every class of endpoints", () => {
  const cells = credentialStates.flatMap((state) => endpointClasses.map((name) => ({ state, name })));

  it("meets every state of a credential, or is listed with the reason why not", () => {
    expect(cells.length).toBeGreaterThanOrEqual(12 * 11);
    const silent = cells.filter(({ state, name }) => state.unasked[name] === undefined && !met.has(`${state.name}: ${name}`));
    expect(silent.map(({ state, name }) => `${state.name}: ${name}`)).toEqual([]);
  });

  it("is not listed where it is asked", () => {
    const stale = cells.filter(({ state, name }) => state.unasked[name] !== undefined && met.has(`${state.name}: ${name}`));
    expect(stale.map(({ state, name }) => `${state.name}: ${name}`)).toEqual([]);
  });

  it("is one that no other state presents", () => {
    const values = [
      null,
      "Bearer assay-123",
      "Bearer <key:primary:last-character-changed>",
      "Bearer <key:expired>",
      "Bearer <key:readOnly>",
      "<key:primary>",
    ];
    expect(values.map((value) => credentialStates.filter(({ isPresented }) => isPresented(value)).length)).toEqual([
      1, 1, 1, 1, 1, 0,
    ]);
  });
});
