// TARGET_URL=https://staging.example/api ASSAY_API_KEY=... npm test
import { describe, test } from "node:test";
import { audits } from "@assay-harness/assay";

const list = audits({
  baseUrl: process.env.TARGET_URL,
  stages: ["conformance"],
  suites: ["models"],
});

describe("the target", () => {
  for (const { id, title, run } of list) {
    test(`${id} ${title}`, async (t) => {
      const settled = await run();
      if (settled.outcome === "skipped") t.skip(settled.reason);
    });
  }
});
