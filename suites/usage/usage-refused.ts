import { refusedUsageLabels } from "../../src/conformance/judges/usage/refused-usage.ts";
import { readUsageReport } from "../../src/conformance/judges/usage/usage-report.ts";
import { usageLabels } from "../../src/conformance/judges/usage/usage-interval.ts";
import { labelSeries } from "../../src/conformance/judging/label-series.ts";
import { isOperationDeclared } from "../../src/core/is-operation-declared.ts";
import type { Case, CaseRequest, CaseTools } from "../../src/conformance/plan/case.ts";
import type { ExchangeFacts } from "../../src/core/exchange/exchange-facts.ts";
import type { Intent, StatedAnswer } from "../../src/core/exchange/intent.ts";
import { casesOf } from "../cases-of.ts";
import { plainRequest } from "../requests/core-requests.ts";
import { lowLimit, lowLimitAtMost } from "../requests/low-limit.ts";
import { keySettingsNeeds, settingsKey, settingsResource } from "../requests/settings-target.ts";
import {
  askTime,
  chatAbout,
  chatNeed,
  hoursAround,
  lateBillMs,
  report,
  untilNothingIsLate,
  untilShown,
  untilStill,
  usageResource,
} from "../requests/usage-tools.ts";
import { jsonRequest } from "../requests/json-request.ts";
import { lowerBurst, roundsWithin, untilRefused } from "../requests/burst-limit.ts";
import { usageLateAtMost } from "./usage-late-at-most.ts";

/** Few, and a cooldown that lasts while all kinds of requests are refused in it. */
const burst = { burst_limit: 3, cooldown_seconds: 4 };

type Billable = "chat" | "embeddings" | "images" | "transcriptions";

/**
 * Requests that a limit refuses, between two reports. Before them the key is served once or more, so that it is known whether
 * its usage would show in these reports at all; nothing of that stands between them.
 */
async function betweenReports(
  tools: CaseTools,
  serve: () => Promise<readonly ExchangeFacts[]>,
  refuse: () => Promise<void>,
): Promise<void> {
  const window = hoursAround(await askTime(tools), 1);
  const start = readUsageReport(await report(tools, refusedUsageLabels.start, window));
  const served = await serve();
  await untilShown(tools, served, { window, before: start?.totalTokens ?? null, labels: refusedUsageLabels.shown });
  await untilStill(tools, window);
  await report(tools, usageLabels.before, window);
  await refuse();
  await report(tools, usageLabels.after.label(1), window);
}

/** One short request to each operation that could be billed, as far as there are models; chat as a stream too. */
function billableRequests({ manifest, wallMs }: CaseTools, kinds: readonly Billable[]): readonly CaseRequest[] {
  const { embedding, transcription } = manifest.models;
  const isThere = {
    chat: true,
    images: isOperationDeclared("images", manifest),
    embeddings: embedding !== null,
    transcriptions: transcription !== null,
  };
  const requests = kinds
    .filter((kind) => isThere[kind])
    .map((kind): CaseRequest => ({ ...plainRequest(kind, manifest, wallMs()), label: kind }));
  const messages = [{ role: "user", content: "Name one colour." }];
  const value = { model: manifest.models.chat, messages, max_tokens: 1, stream: true };
  const streamed = jsonRequest("chat", "chat-stream", value);
  return kinds.includes("chat") && manifest.features["stream"] !== false ? [...requests, streamed] : requests;
}

/** Uses up the window of each operation, as far as it is not: chat and vectors cost little, pictures would cost money. */
async function useUpWindows(tools: CaseTools, name: string): Promise<readonly ExchangeFacts[]> {
  const served: ExchangeFacts[] = [];
  for (const request of windowRequests(tools).filter(({ label }) => label !== "chat-stream")) {
    for (let count = 1; count <= lowLimitAtMost; count += 1) {
      const exchange = await tools.send({ ...request, ...lowLimit, label: `${name}-${request.label}-${count}` });
      if (!exchange.isSuccess) break;
      served.push(exchange);
    }
  }
  return served;
}

function windowRequests(tools: CaseTools): readonly CaseRequest[] {
  return billableRequests(tools, ["chat", "embeddings"]);
}

const cooling: Intent = {
  kind: "housekeeping",
  purpose: "use a key in its cooldown",
  answers: ["2xx", 429, "queued"] satisfies readonly StatedAnswer[],
};
const inCooldown = { credential: { kind: "bearer", key: settingsKey }, intent: cooling, retry: false } as const;

const enterLabels = labelSeries<[round: number, count: number]>("enter");

/**
 * Requests that limits refuse are not billed. Keys, bodies and accounts that are refused are those of `usage/refused-requests`.
 */
export const usageRefusedCases: readonly Case[] = casesOf({ suite: "usage", resource: usageResource, alone: true }, [
  {
    id: "usage/refused-by-request-limit",
    title: "Adds nothing to the usage for what a request limit refuses",
    covers: ["USG-042"],
    needs: [chatNeed, { kind: "exclusive" }, { kind: "key", name: "lowLimit" }],
    cost: {
      // Twice a fixture of five and its refusal: a larger one that is used up twice sends a few more.
      requests: { models: 1, usage: 14, chat: 14, embeddings: 13 },
      tokens: 300,
      waitSeconds: usageLateAtMost,
    },
    run: (tools) =>
      betweenReports(
        tools,
        () => useUpWindows(tools, "use-up"),
        async () => {
          // A window may have begun anew where usage had to be waited for.
          await useUpWindows(tools, "again");
          for (const request of windowRequests(tools)) await tools.send({ ...request, ...lowLimit });
          await untilNothingIsLate(tools, lateBillMs);
        },
      ),
  },
  {
    id: "usage/refused-in-cooldown",
    title: "Adds nothing to the usage for what a cooldown refuses",
    covers: ["USG-042"],
    needs: [chatNeed, { kind: "exclusive" }, ...keySettingsNeeds],
    cost: {
      requests: { models: 5, usage: 14, chat: 3, embeddings: 1, images: 1, transcriptions: 1, "key-settings": 2 },
      tokens: 60,
      images: 1,
      audioSeconds: 1,
      waitSeconds: burst.cooldown_seconds + usageLateAtMost,
    },
    resource: settingsResource,
    run: (tools) =>
      tools.restoring({ kind: "key", key: settingsKey }, () =>
        betweenReports(
          tools,
          async () => [await tools.send({ ...chatAbout(tools, "served", { key: settingsKey }), label: "served" })],
          async () => {
            await tools.send(lowerBurst(tools.manifest, "lower", burst));
            const rounds = roundsWithin(Math.min(tools.manifest.propagationSeconds, 60));
            const refused = await untilRefused(tools, inCooldown, { labels: enterLabels, limit: burst.burst_limit, rounds });
            const all = billableRequests(tools, ["chat", "embeddings", "images", "transcriptions"]);
            // Together, because a cooldown is short; where the limit never showed they would be served.
            if (refused !== null) await tools.sendAtOnce(all.map((request) => ({ ...request, ...inCooldown })));
            await untilNothingIsLate(tools, burst.cooldown_seconds * 1000);
          },
        ),
      ),
  },
]);
