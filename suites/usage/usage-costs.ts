import type { Case, CaseRequest, CaseTools } from "../../src/conformance/plan/case.ts";
import { costGroups, costLabels } from "../../src/conformance/judges/usage/like-costs.ts";
import { usageLabels } from "../../src/conformance/judges/usage/usage-interval.ts";
import { usageSettleMs } from "../../src/conformance/judges/usage/usage-lateness.ts";
import { readUsageReport } from "../../src/conformance/judges/usage/usage-report.ts";
import {
  askTime,
  chatAbout,
  chatNeed,
  hoursAround,
  report,
  untilNothingIsLate,
  untilShown,
  usageResource,
} from "../requests/usage-tools.ts";
import { casesOf } from "../cases-of.ts";
import { audioPart } from "../requests/audio-fixtures.ts";
import { jsonRequest } from "../requests/json-request.ts";

const repeats = 3;
/** Enough that some meet where they take little time: of answers that end together all but one may get lost. */
const together = 8;
/** Of different lengths, and long enough that a small price shows in a report of millionths of a dollar. */
const texts = [
  "The ferry leaves the old harbour at half past seven and returns before the tide turns.",
  "A lamp in the window of the highest house means that the kettle is on for the fishermen.",
  "On market days the square smells of oranges, wet rope and bread that is still warm.",
];

/** The same work in each of its forms, one group of requests after another, with a report after each. */
function groupsOf(tools: CaseTools): readonly (readonly [name: string, atOnce: boolean, requests: readonly CaseRequest[]])[] {
  const chats = (name: string, stream: boolean, length: number = repeats): readonly CaseRequest[] =>
    Array.from({ length }, (_, place) => chatAbout(tools, `${name}-${place}`, { stream }));
  const { embedding } = tools.manifest.models;
  const vectors = (label: string, input: unknown): CaseRequest => jsonRequest("embeddings", label, { model: embedding, input });
  return [
    [costGroups.alone, false, chats("alone", false)],
    [costGroups.together, true, chats("together", false, together)],
    ...(tools.manifest.features["stream"] === false ? [] : ([[costGroups.streamed, false, chats("streamed", true)]] as const)),
    ...(embedding === null
      ? []
      : ([
          [costGroups.singles, false, texts.map((text, place) => vectors(`single-${place}`, text))],
          [costGroups.batch, false, [vectors("batch", texts)]],
        ] as const)),
  ];
}

const common = { suite: "usage", resource: usageResource, alone: true } as const;

/** Reports before and after work without tokens, until the cost has grown or the settling time is over. */
async function costOf(tools: CaseTools, work: CaseRequest): Promise<void> {
  const window = hoursAround(await askTime(tools), 2);
  await untilNothingIsLate(tools);
  const before = readUsageReport(await report(tools, usageLabels.before, window))?.totalCostUsd ?? null;
  const sent = await tools.send(work);
  await tools.lookUntil(usageSettleMs(tools.manifest), async (round) => {
    const now = readUsageReport(await report(tools, usageLabels.after.label(round), window))?.totalCostUsd ?? null;
    if (before === null || !sent.isSuccess) return "never";
    return now !== null && now > before ? "all" : "none";
  });
}

/** The cost of a group is compared with that of a group of like answers, so that no price has to be known. */
export const usageCostCases: readonly Case[] = [
  {
    id: "usage/like-costs",
    suite: "usage",
    title: "Costs the same for the same work, streamed, in a batch or together",
    covers: ["USG-044"],
    needs: [chatNeed, { kind: "exclusive" }],
    cost: {
      requests: { models: 1, usage: 16, chat: 2 * repeats + together, embeddings: repeats + 1 },
      tokens: 900,
    },
    resource: usageResource,
    alone: true,
    async run(tools) {
      const window = hoursAround(await askTime(tools), 2);
      await untilNothingIsLate(tools);
      let tokens = readUsageReport(await report(tools, costLabels.before, window))?.totalTokens ?? null;
      for (const [name, isTogether, requests] of groupsOf(tools)) {
        const sent = isTogether ? [...(await tools.sendAtOnce(requests))] : [];
        if (!isTogether) for (const request of requests) sent.push(await tools.send(request));
        tokens = await untilShown(tools, sent, { window, before: tokens, labels: costLabels.after(name) });
      }
    },
  },
  ...casesOf(common, [
    {
      id: "usage/images-cost",
      title: "Reports a cost of images that have a price",
      covers: ["USG-047"],
      needs: [
        { kind: "price", name: "perImage" },
        { kind: "feature", name: "images" },
      ],
      cost: { requests: { models: 1, usage: 8, images: 1 }, tokens: 0, images: 1 },
      run: (tools) => costOf(tools, jsonRequest("images", "image", { prompt: "A red circle" })),
    },
    {
      id: "usage/recordings-cost",
      title: "Reports a cost of recordings that have a price",
      covers: ["USG-047"],
      needs: [
        { kind: "price", name: "perAudioMinute" },
        { kind: "feature", name: "transcriptions" },
        { kind: "model", use: "transcription" },
      ],
      cost: { requests: { models: 1, usage: 8, transcriptions: 1 }, tokens: 0, audioSeconds: 1 },
      run: (tools) => {
        const parts = [audioPart("wav"), { name: "model", value: tools.manifest.models.transcription ?? "any" }];
        return costOf(tools, { endpoint: "transcriptions", label: "recording", body: { kind: "multipart", parts } });
      },
    },
  ]),
];
