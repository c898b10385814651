import type { Exchange } from "../../core/exchange/exchange.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import { readSettingChanges } from "../history/burst-settings.ts";
import { readHistory } from "../history/history.ts";
import type { LimitsJudgement } from "../exam/judge-limits.ts";
import { tolerancesFor } from "../history/tolerances.ts";
import { judgeCrossing } from "../spend/judge-crossing.ts";
import { readTotalCents } from "../history/usage-total.ts";
import { trafficJudgement } from "./traffic-judgement.ts";

/** Judges the spend cap of one key over the traffic of a load profile, and of what prepared it (`withSpendRoom`). */
export interface SpendWatch {
  readonly onExchange: (exchange: Exchange) => void;
  /** Some requests are not seen here: without them nothing is known about spend. */
  readonly miss: () => void;
  /** null where nothing can be said. */
  readonly finish: () => LimitsJudgement | null;
}

/** Requests that are kept with their answers; with more the profile is about something else. */
const mostExchanges = 5_000;

export function watchSpend(manifest: ManifestFacts, key: string): SpendWatch {
  let exchanges: Exchange[] = [];
  let isWhole = true;
  const miss = (): void => {
    isWhole = false;
    exchanges = [];
  };
  return {
    miss,
    onExchange(exchange) {
      const counts = exchange.keyName === key || exchange.request.method === "PATCH" || exchange.endpoint === "usage";
      if (!counts || !isWhole) return;
      if (exchanges.length === mostExchanges) miss();
      else exchanges.push(exchange);
    },
    finish() {
      if (exchanges.length === 0) return null;
      const tolerances = tolerancesFor(manifest);
      const { ops, offset } = readHistory(exchanges, tolerances);
      const bySeq = new Map(exchanges.map((exchange) => [exchange.seq, exchange]));
      const policy = judgeCrossing({
        key,
        purchases: ops.filter((op) => op.key === key && op.endpoint === "images"),
        bySeq,
        usage: ops.flatMap(({ seq, sentMs, headersMs, endpoint, cached }) => {
          const exchange = endpoint === "usage" && !cached ? bySeq.get(seq) : undefined;
          const cents = exchange === undefined ? null : readTotalCents(exchange);
          return cents === null ? [] : [{ seq, phase: null, sentMs, atMs: headersMs, cents }];
        }),
        changes: readSettingChanges(exchanges, manifest),
        manifest,
        tolerances,
        offsetMs: offset === null ? null : (offset.lowMs + offset.highMs) / 2,
      });
      return policy === null ? null : trafficJudgement([policy]);
    },
  };
}
