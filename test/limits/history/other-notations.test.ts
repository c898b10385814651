import { expect, it } from "vitest";
import { groupId, readHistory } from "../../../src/limits/history/history.ts";
import { tolerancesFor } from "../../../src/limits/history/tolerances.ts";
import { viewGroup } from "../../../src/limits/history/group-view.ts";
import { checkPhantoms } from "../../../src/limits/requests/answers/claims.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { simulatedManifest } from "../simulation/exam.ts";

const manifest = simulatedManifest(60);
const tolerances = tolerancesFor(manifest);

/** One request a second; each is counted under the path of the model list. */
function verdictWith(notation: string | null): string {
  const exchanges = Array.from({ length: 12 }, (_, index) => {
    const seq = index + 1;
    const headers = [
      ["x-ratelimit-limit-requests", "60"],
      ["x-ratelimit-remaining-requests", String(60 - seq)],
      ["x-ratelimit-reset-requests", "1795253460"],
    ] as const;
    const isOther = index % 3 === 1 && notation !== null;
    return makeExchange({
      seq,
      keyName: "primary",
      sentMs: seq * 1000,
      headers,
      ...(isOther ? { endpoint: null, path: notation } : {}),
    });
  });
  const history = readHistory(exchanges, tolerances);
  const members = history.groups.get(groupId("primary", "models"))!;
  const view = viewGroup("primary/models", members, { manifest, history, tolerances, strict: false, burst: new Map() });
  expect(view.ops.every(({ endpoint }) => endpoint === "models")).toBe(true);
  return checkPhantoms(view).verdict;
}

it.each(["/v1/%6dodels", "/%76%31/models", "/v1%2Fmodels", "//v1/models", "/v1/./models?limit=1"])(
  "a request for %s may count as one for the model list",
  (path) => {
    expect(verdictWith(path)).toBe("pass");
  },
);

it("a request for another path does not", () => {
  expect(verdictWith(null)).toBe("pass");
  expect(verdictWith("/v1/modelsx")).toBe("fail");
});
