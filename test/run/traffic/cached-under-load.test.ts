import { expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { renderHtml } from "../../../src/report/html/render-html.ts";
import { createScreen } from "../../../src/report/terminal/screen.ts";
import { renderSummary } from "../../../src/report/terminal/summary.ts";
import { watchProfile } from "../../../src/run/traffic/watch-profile.ts";
import { compileSchema } from "../../../src/schemas/validator.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { manifestFor } from "../../make/load/load-target.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";

const base = manifestFor("http://127.0.0.1:9", {});
const restore = { ...base.restore, keys: { primary: { burst_limit: 3, cooldown_seconds: 30, monthly_spend_cap: null } } };
const profile = { id: "soak", key: "primary", limitScenario: "cooldown" } as const;

function answer(seq: number, sentMs: number, age: string | null): Exchange {
  const exchange = makeExchange({ seq, sentMs, endpoint: "chat", received: { id: `chatcmpl-${seq}` } });
  const headers = [...exchange.response!.headers, ...(age === null ? [] : [["age", age] as const])];
  return { ...exchange, response: { ...exchange.response!, headers } };
}

it("answers of a cache under load are named, and accuse no limiter of what it did not decide", () => {
  const watch = watchProfile(profile, { ...base, restore }, false);
  const service = Array.from({ length: 3 }, (_, index) => answer(index, 100_000 + 50 * index, null));
  const cache = Array.from({ length: 20 }, (_, index) => answer(10 + index, 101_000 + 100 * index, "12"));
  for (const exchange of [answer(0, 0, null), ...service, ...cache]) watch.onExchange(exchange);
  const { account, findings } = watch.finish();
  expect(findings).toEqual([]);
  const leftOut = [{ reason: "from a cache (Age above 0)", count: 20 }];
  expect(account).toEqual([{ policy: "requests/primary/chat", sent: 24, judged: 4, leftOut }]);

  const sample = buildSample().result;
  const [first, ...others] = sample.load!.profiles;
  const result = { ...sample, load: { ...sample.load!, profiles: [{ ...first!, limitAccount: account! }, ...others] } };
  expect(compileSchema("result.schema")(result)).toEqual([]);
  const words = "20 answers came from a cache (Age above 0): left out of policy requests/primary/chat";
  const screen = createScreen({ stream: { isTTY: false, columns: 4000, write: () => true }, env: {} });
  expect(renderSummary(result, screen).replaceAll(/\s+/g, " ")).toContain(`${first!.id}: ${words}`);
  expect(renderHtml(result, [])).toContain(words);
});

it("a load without a cache has no such account", () => {
  const watch = watchProfile(profile, { ...base, restore }, false);
  watch.onExchange(answer(1, 0, null));
  watch.onExchange(answer(2, 100, "0"));
  expect(watch.finish().account).toBeUndefined();
});
