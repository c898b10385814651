import { explainTrouble } from "../../../src/conformance/send/check-target.ts";
import type { Clock } from "../../../src/core/clock.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import type { Finding } from "../../../src/core/result/finding.ts";
import { orderFindings } from "../../../src/report/order-findings.ts";
import { type ExaminedTarget, examineTarget } from "../../make/examine-target.ts";
import type { BrokenAnswer, Operation } from "./broken-answer.ts";

/** The cases in which answers of an operation are met. */
const casesOf: Readonly<Record<Operation, readonly string[]>> = {
  chat: ["chat/minimal", "embeddings/longer-input"],
  stream: ["stream/short", "embeddings/longer-input"],
  embeddings: ["embeddings/inputs"],
  images: ["images/minimal"],
  audio: ["audio/language"],
  models: ["models/list"],
  usage: ["usage/notations"],
  "error-401": ["core/no-credentials"],
  "error-402": ["faults/no-credit"],
  "error-404": ["settings/unknown-key"],
  "error-422": ["chat/rejects-bad-model", "embeddings/rejects-bad-model"],
  "error-429": ["limits/low-limit"],
  "error-503": ["faults/triggered-503"],
};

/** The words of `assay check` on a target with such answers: why it measures nothing, or its findings, failures first. */
export async function printSaid(broken: BrokenAnswer, manifest: Manifest, clock: Clock): Promise<readonly string[]> {
  const examined = await examineTarget({ manifest, clock, cases: casesOf[broken.of] });
  const refusal = refusalOf(examined);
  if (refusal !== null) return [withoutChance(`INVALID ${refusal}`, manifest)];
  const findings = orderFindings(examined.findings).filter(({ verdict }) => verdict === "fail" || verdict === "advisory");
  const open = examined.result.requirements.filter(
    ({ verdict, reason }) => verdict === "inconclusive" && reason !== "nothing that was sent shows it",
  );
  const lines =
    findings.length > 0 ? findings.flatMap(printFinding) : open.map(({ id, reason }) => `not judged ${id}: ${reason ?? ""}`);
  return lines.length === 0 ? ["nothing"] : lines.map((line) => withoutChance(line, manifest));
}

/** Addresses, ids and instants differ from run to run. */
function withoutChance(line: string, { target }: Manifest): string {
  return line
    .replaceAll(target.baseUrl, "http://target")
    .replaceAll(/\b(chatcmpl-|key_)\w+/g, "$1ID")
    .replaceAll(/\b179\d{7}(\d{3})?\b/g, (_, milliseconds?: string) => (milliseconds === undefined ? "SECONDS" : "MILLISECONDS"));
}

/** A redirect or silence of the list of models ends a run before its cases, as `run/stages/preflight.ts` does. */
function refusalOf({ run, exchanges, manifest }: ExaminedTarget): string | null {
  const [first] = exchanges;
  const trouble = first === undefined ? null : explainTrouble(first, manifest.target.baseUrl);
  return trouble ?? run.refusal?.reason ?? null;
}

function printFinding(finding: Finding): readonly string[] {
  const { verdict, requirement, message, expected, observed, also, sent } = finding;
  return [
    `${verdict} ${requirement}: ${message}`,
    ...(sent === null ? [] : [`  sent ${sent}`]),
    `  observed ${observed}`,
    `  expected ${expected}`,
    ...(also.length === 0 ? [] : [`  also violates ${also.join(", ")}`]),
  ];
}
