// TARGET_URL=https://staging.example/api ASSAY_API_KEY=... npm test
import { describeTarget } from "@assay-harness/assay/vitest";

describeTarget({
  baseUrl: process.env.TARGET_URL,
  stages: ["conformance"],
  suites: ["models"],
});
