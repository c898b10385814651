import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keep } from "../../make/keep.ts";

import { contestedScript, damagedScript, lawfulScript, type Script } from "./generated-response.ts";
import { explainDifference } from "./lawful-differences.ts";
import { serveScripts } from "./recorded-over.ts";

/** Answers at a time, and how often that many; more by hand, as `ANSWER_BATCHES=1000 npx vitest run test/wire/http1`. */
const batchSize = 60;
const batches = Number(process.env["ANSWER_BATCHES"] ?? 6);
const seed = process.env["ANSWER_SEED"];
/** A batch takes a tenth of a second. An interruption fails, well before the test is given up. */
const patienceMs = 10_000 * batches;
const timeoutMs = 2 * patienceMs;

/**
 * Holds the client for load against undici. The points on which they do not agree, and which no standard explains; empty if
 * there are none.
 */
async function compare(scripts: fc.Arbitrary<Script>, scheme: "http" | "https" = "http"): Promise<string> {
  const server = keep(await serveScripts(scheme));
  const explained = async (script: Script): Promise<string> => {
    const [undici, ours] = await Promise.all([server.record(script, "conformance"), server.record(script, "load")]);
    const sent = Buffer.concat(script.pieces).toString("latin1");
    if (explainDifference(undici, ours, sent, script.end) !== null) return "";
    const pieces = script.pieces.map(({ length }) => length).join(" ");
    const differing = (Object.keys(ours) as (keyof typeof ours)[]).filter(
      (member) => JSON.stringify(ours[member]) !== JSON.stringify(undici[member]),
    );
    const reported = differing.map((member) => `${member}: ${JSON.stringify(undici[member])} | ${JSON.stringify(ours[member])}`);
    return `sent: ${JSON.stringify(sent)}\nin pieces of ${pieces}, end: ${script.end}\nundici | ours\n${reported.join("\n")}`;
  };
  const batch = fc.array(scripts, { minLength: 1, maxLength: batchSize, size: "max" });
  const property = fc.asyncProperty(batch, async (played) => {
    const difference = (await Promise.all(played.map(explained))).find((text) => text !== "");
    if (difference !== undefined) throw new Error(difference);
  });
  const details = await fc.check(property, {
    // A handshake takes longer than most answers.
    numRuns: scheme === "https" ? Math.ceil(batches / 3) : batches,
    interruptAfterTimeLimit: patienceMs,
    markInterruptAsFailure: true,
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  });
  if (!details.failed) return "";
  const found =
    details.errorInstance instanceof Error ? details.errorInstance.message : `${details.numRuns} runs, then interrupted`;
  return `ANSWER_SEED=${details.seed}, path ${details.counterexamplePath ?? ""}\n${found}`;
}

describe("the client for load and undici tell the same of", () => {
  it(
    "lawful answers, cut up and broken off anywhere",
    async () => {
      expect(await compare(lawfulScript)).toBe("");
    },
    timeoutMs,
  );

  it(
    "damaged answers",
    async () => {
      expect(await compare(damagedScript)).toBe("");
    },
    timeoutMs,
  );

  it(
    "answers that contradict themselves about where they end",
    async () => {
      expect(await compare(contestedScript)).toBe("");
    },
    timeoutMs,
  );

  it(
    "lawful and damaged ones over TLS",
    async () => {
      expect(await compare(fc.oneof(lawfulScript, damagedScript), "https")).toBe("");
    },
    timeoutMs,
  );
});
