import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { run } from "../../../src/index.ts";
import { judgeRun } from "../../../src/run/record/judge-run.ts";
import { readRun } from "../../../src/run/record/read-run.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { serveHttp } from "../../make/wire/test-server.ts";

const completion = {
  id: "chat-1",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "chat-model",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
};

it("a run is judged as its record is, though its answers came in another order than the requests", async () => {
  const ended: number[] = [];
  let received = 0;
  // Answers to every request alike, so that all of them violate something, and each third at once.
  const { url } = await serveHttp((request, response) => {
    const turn = (received += 1);
    request.resume().once("end", () => {
      setTimeout(
        () => {
          ended.push(turn);
          response.setHeader("content-type", "application/json").end(JSON.stringify(completion));
        },
        turn % 3 === 0 ? 0 : 15,
      );
    });
  });
  const outDir = mkdtempSync(join(tmpdir(), "assay-order-"));
  onTestFinished(() => rmSync(outDir, { recursive: true }));
  const { result, folder } = await run({ manifest: testManifest(url), stages: ["conformance"], suites: ["chat"], outDir });
  expect(ended).not.toEqual(ended.toSorted((one, other) => one - other));
  const { record, exchanges, load, problems } = await readRun(folder);
  expect(problems).toEqual([]);
  expect(result.passive.violations.length).toBeGreaterThan(0);
  expect(judgeRun(record, exchanges, load)).toEqual(result);
});
