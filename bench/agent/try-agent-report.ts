import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suiteIds } from "../../src/core/result/requirement.ts";
import { allMutants } from "../../src/reference/switches/broken/all-mutants.ts";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { renderAgent, estimateTokens } from "../../src/report/reporters/agent.ts";
import { readRun, run } from "../../src/index.ts";
import type { AgentTrial } from "./agent-trials.ts";

export interface AgentAnswer {
  /** The facts of the description that the report does not hold; empty: it names the defect. */
  readonly missing: readonly string[];
  readonly tokens: number;
  readonly report: string;
}

/** The suite that sends requests to a path. */
function suiteOf(place: string): string {
  const names: Readonly<Record<string, string>> = { completions: "chat", generations: "images", "": "models" };
  const last = place.split("/").at(-1) ?? "";
  return names[last] ?? last;
}

/** Runs against a service with one defect and looks in the report alone for the member, the place and a rule of its description. */
export async function tryAgentReport({ mutant, member, place }: AgentTrial): Promise<AgentAnswer> {
  const described = allMutants.find(({ id }) => id === mutant);
  if (described === undefined) throw new Error(`there is no mutant ${mutant}`);
  if (!described.title.includes(member))
    throw new Error(`the description of ${mutant} does not name ${member}: ${described.title}`);
  const service = await startReferenceService({ seed: 5, mutants: [mutant], clock: "manual" });
  const outDir = mkdtempSync(join(tmpdir(), "assay-agent-"));
  try {
    const requirements = described.violates.filter((id) => /^[A-Z]+-\d+$/.test(id));
    const suites = suiteIds.filter((id) => id === suiteOf(place));
    const { result, folder } = await run({ manifest: service.manifest, stages: ["conformance"], suites, outDir });
    const { exchanges } = await readRun(folder);
    const report = renderAgent(result, exchanges);
    const facts = [
      ["member", (text: string) => new RegExp(`(?<![\\w-])${member}(?![\\w-])`).test(text)],
      ["place", (text: string) => text.includes(place)],
      ["rule", (text: string) => requirements.some((id) => text.includes(id))],
    ] as const;
    const missing = facts.filter(([, isThere]) => !isThere(report)).map(([name]) => name);
    return { missing, tokens: estimateTokens(report), report };
  } finally {
    await service.close();
    rmSync(outDir, { recursive: true });
  }
}
