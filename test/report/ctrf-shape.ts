/**
 * The part of the CTRF 1.0.0 schema that our reports use, in our own words: closed objects, required members, closed
 * vocabularies. (The published schema is at ctrf.io.)
 */
const text = { type: "string" };
const count = { type: "integer", minimum: 0 };
const status = { enum: ["passed", "failed", "skipped", "pending", "other"] };

export const ctrfShape: object = {
  type: "object",
  additionalProperties: false,
  required: ["reportFormat", "specVersion", "results"],
  properties: {
    reportFormat: { const: "CTRF" },
    specVersion: { type: "string", pattern: "^\\d+\\.\\d+\\.\\d+$" },
    generatedBy: text,
    results: {
      type: "object",
      additionalProperties: false,
      required: ["tool", "summary", "tests"],
      properties: {
        tool: {
          type: "object",
          additionalProperties: false,
          required: ["name"],
          properties: { name: { type: "string", minLength: 1 }, version: text },
        },
        summary: {
          type: "object",
          additionalProperties: false,
          required: ["tests", "passed", "failed", "skipped", "pending", "other", "start", "stop"],
          properties: {
            ...Object.fromEntries(
              ["tests", "passed", "failed", "skipped", "pending", "other", "suites", "start", "stop", "duration"].map((name) => [
                name,
                count,
              ]),
            ),
            extra: { type: "object" },
          },
        },
        tests: {
          type: "array",
          items: {
            type: "object",
            additionalProperties: false,
            required: ["name", "status", "duration"],
            properties: {
              name: { type: "string", minLength: 1 },
              status,
              duration: count,
              suite: { type: "array", minItems: 1, items: text },
              message: text,
              trace: text,
              rawStatus: text,
              filePath: text,
              tags: { type: "array", items: text },
            },
          },
        },
        environment: {
          type: "object",
          additionalProperties: false,
          properties: { testEnvironment: text, extra: { type: "object" } },
        },
      },
    },
  },
};
