import { expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { readHistory } from "../../../src/limits/history/history.ts";
import { defaultTolerances } from "../../../src/limits/history/tolerances.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";

function written(path: string, method = "GET"): Exchange {
  const exchange = makeExchange({ seq: 2, sentMs: 100, endpoint: "models", received: { object: "list", data: [] } });
  return { ...exchange, endpoint: null, request: { ...exchange.request, method, path } };
}

it.each(["/%76%31/models", "/v1/m%6f%64%65%6c%73?x=1", "//v1/models", "/v1/./models", "/v1%2fmodels"])(
  "a request with a key to %s may have been counted with those of the list of models",
  (path) => {
    const { groups } = readHistory([written(path)], defaultTolerances);
    expect([...groups].map(([id, [op]]) => [id, op?.outcome, op?.requests.remaining])).toEqual([
      ["primary/models", "maybe", null],
    ]);
  },
);

it.each([["/models"], ["/v1/nothing"], ["/v1/%zz"], ["/v1/models", "POST"], ["/v1/models/one"]])(
  "one to %s belongs to no endpoint (%s)",
  (path, method = "GET") => {
    const { ops } = readHistory([written(path, method)], defaultTolerances);
    expect(ops.map(({ endpoint, outcome }) => [endpoint, outcome])).toEqual([[null, "admitted"]]);
  },
);
