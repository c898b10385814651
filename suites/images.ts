import type { Case, CaseTools } from "../src/conformance/plan/case.ts";
import { fetchImages } from "./requests/fetch-images.ts";
import type { ExchangeFacts } from "../src/core/exchange/exchange-facts.ts";
import type { Intent } from "../src/core/exchange/intent.ts";
import type { Members } from "./requests/members.ts";
import { negativeCases, type NegativeEndpoint, otherJson } from "./negatives/negative-cases.ts";
import { casesOf } from "./cases-of.ts";
import { question } from "./requests/intents.ts";
import { jsonRequest } from "./requests/json-request.ts";

const endpoint = "images";
const prompt = "A lighthouse on a rocky coast at dusk, flat colours";

async function sendImages(tools: CaseTools, label: string, members: Members, intent?: Intent): Promise<ExchangeFacts> {
  return tools.send(jsonRequest(endpoint, label, members, intent));
}

const ordinary: readonly Case[] = casesOf({ suite: "images" }, [
  {
    id: "images/minimal",
    title: "Makes one image from a prompt alone",
    covers: ["SVC-005", "IMG-001", "IMG-006", "IMG-020", "IMG-021", "IMG-022", "IMG-025", "IMG-028"],
    cost: { requests: { images: 1 }, tokens: 0, images: 1 },
    async run(tools) {
      await sendImages(tools, "minimal", { prompt });
    },
  },
  {
    id: "images/default-size",
    title: "Makes a square image when no size is requested",
    covers: ["IMG-012", "IMG-023"],
    needs: [{ kind: "permission", name: "fetchImages" }],
    cost: { requests: { images: 1, other: 1 }, tokens: 0, images: 1 },
    async run(tools) {
      await fetchImages(tools, await sendImages(tools, "default-size", { prompt }));
    },
  },
  {
    id: "images/sizes",
    title: "Takes the three sizes",
    covers: ["IMG-009", "IMG-010", "IMG-011"],
    cost: { requests: { images: 3, other: 3 }, tokens: 0, images: 3 },
    async run(tools) {
      for (const size of ["1024x1024", "1792x1024", "1024x1792"]) {
        await fetchImages(tools, await sendImages(tools, size, { prompt, size }));
      }
    },
  },
  {
    id: "images/fetched-sizes",
    title: "Delivers images of the requested size",
    covers: ["IMG-024"],
    needs: [{ kind: "permission", name: "fetchImages" }],
    cost: { requests: { images: 1, other: 1 }, tokens: 0, images: 1 },
    async run(tools) {
      await fetchImages(tools, await sendImages(tools, "wide", { prompt, size: "1792x1024" }));
    },
  },
  {
    id: "images/number",
    title: "Makes as many images as requested",
    covers: ["IMG-005", "IMG-030"],
    cost: { requests: { images: 2, other: 3 }, tokens: 0, images: 3 },
    async run(tools) {
      await sendImages(tools, "one", { prompt, n: 1 });
      await fetchImages(tools, await sendImages(tools, "two", { prompt, n: 2 }));
    },
  },
  {
    id: "images/qualities",
    title: "Takes both qualities",
    covers: ["IMG-015", "IMG-016"],
    cost: { requests: { images: 2 }, tokens: 0, images: 2 },
    async run(tools) {
      for (const quality of ["standard", "hd"]) await sendImages(tools, quality, { prompt, quality });
    },
  },
  {
    id: "images/unstated-values",
    title: "Records the answers to values without a stated rule",
    covers: ["IMG-004", "IMG-008", "IMG-026"],
    cost: { requests: { images: 4 }, tokens: 0, images: 4 },
    async run(tools) {
      const named = question("IMG-026", "a member that names a model");
      await sendImages(tools, "empty-prompt", { prompt: "" }, question("IMG-004", "an empty prompt"));
      await sendImages(tools, "none", { prompt, n: 0 }, question("IMG-008", "0 images"));
      await sendImages(tools, "negative", { prompt, n: -1 }, question("IMG-008", "-1 images"));
      await sendImages(tools, "model", { prompt, model: "assay-any-model" }, named);
    },
  },
]);

const target: NegativeEndpoint = {
  endpoint,
  needs: [],
  valid: () => ({ prompt }),
  cost: { tokens: 0, images: 1 },
};

const negatives: readonly Case[] = negativeCases(target, [
  {
    field: "prompt",
    violations: [
      { requirement: "IMG-002", condition: "missing-field" },
      { requirement: "IMG-003", condition: "wrong-type", values: [1, [], null] },
    ],
  },
  { field: "n", lawful: 1, violations: [{ requirement: "IMG-007", condition: "wrong-type", values: [1.5, "2"] }] },
  {
    field: "size",
    lawful: "1024x1024",
    violations: [
      { requirement: "IMG-013", condition: "out-of-range", values: ["512x512", "1024X1024", ""] },
      { requirement: "IMG-014", condition: "wrong-type", values: [1024] },
    ],
  },
  {
    field: "quality",
    lawful: "standard",
    violations: [
      { requirement: "IMG-018", condition: "out-of-range", values: ["ultra"] },
      { requirement: "IMG-019", condition: "wrong-type", values: [1] },
    ],
  },
]);

export const imageCases: readonly Case[] = [
  ...ordinary,
  otherJson(target, { noObject: "IMG-029", malformed: "IMG-032" }),
  ...negatives,
];
