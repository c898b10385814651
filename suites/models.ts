import type { Case } from "../src/conformance/plan/case.ts";
import { casesOf } from "./cases-of.ts";
import { question } from "./requests/intents.ts";

export const modelCases: readonly Case[] = casesOf({ suite: "models" }, [
  {
    id: "models/list",
    title: "Lists the models",
    covers: [
      "SVC-007",
      "MOD-001",
      "MOD-002",
      "MOD-003",
      "MOD-004",
      "MOD-005",
      "MOD-006",
      "MOD-007",
      "MOD-008",
      "MOD-009",
      "MOD-011",
      "MOD-012",
    ],
    cost: { requests: { models: 2 }, tokens: 0 },
    async run(tools) {
      await tools.send({ endpoint: "models", label: "list" });
      await tools.send({ endpoint: "models", label: "list-again" });
    },
  },
  {
    id: "models/unstated-query",
    title: "Records the answer to a query parameter",
    covers: ["MOD-010"],
    cost: { requests: { models: 1 }, tokens: 0 },
    async run(tools) {
      await tools.send({
        endpoint: "models",
        label: "query",
        path: "/v1/models?x=1",
        intent: question("MOD-010", "a query parameter on the model list"),
      });
    },
  },
]);
