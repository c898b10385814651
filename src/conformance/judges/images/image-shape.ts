import { isDescribedSuccess } from "../../judging/subjects.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";
import { createSchemaJudge } from "../../judging/schema-judge.ts";

export const imageShape: ExchangeJudge = createSchemaJudge({
  id: "image-result-shape",
  endpoint: "images",
  schema: (exchange) => (exchange.endpoint === "images" && isDescribedSuccess(exchange) ? "image-result.response" : null),
  whole: "IMG-028",
  rules: [
    { requirement: "IMG-020", path: "/created", expected: "an integer, Unix seconds" },
    { requirement: "IMG-021", path: "/data", expected: "an array of images" },
    { requirement: "IMG-028", path: "/data/*", expected: "an object for each image" },
    { requirement: "IMG-022", path: "/data/*/url", expected: "a string with the address of the image" },
    { requirement: "IMG-025", path: "/data/*/revised_prompt", expected: "a string" },
  ],
});
