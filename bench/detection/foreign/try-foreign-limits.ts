import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executeRun } from "../../../src/run/execute-run.ts";
import { readRunRequest } from "../../../src/run/request/read-run-request.ts";
import { foreignManifest } from "./foreign-manifest.ts";
import { type ForeignOptions, startForeignService } from "./foreign-service.ts";
import type { ForeignTrial } from "./try-foreign.ts";

/** `assay limits` against the foreign service in real time: windows of a minute pass. */
export async function tryForeignLimits(options: ForeignOptions): Promise<ForeignTrial> {
  const service = await startForeignService(options);
  const outDir = await mkdtemp(join(tmpdir(), "assay-foreign-"));
  const startedMs = performance.now();
  try {
    const manifest = foreignManifest(service, 20_000);
    const { result } = await executeRun(readRunRequest({ stages: ["limits"], manifest, outDir, env: {} }));
    const list = (wanted: string): readonly string[] =>
      result.findings
        .filter(({ verdict }) => verdict === wanted)
        .map(({ requirement, check, message }) => `${check ?? requirement}: ${message}`);
    const failing = list("fail");
    return {
      reported: failing.length > 0 ? "failed" : result.findings.length > 0 ? "reported" : "silent",
      failing,
      advising: list("advisory"),
      inconclusive: (result.limits?.policies ?? []).flatMap(({ id, checks }) =>
        checks.filter(({ verdict }) => verdict === "inconclusive").map((check) => `${id}: ${check.id}`),
      ),
      requests: result.spent.requests,
      firstRequests: result.spent.requests,
      seconds: (performance.now() - startedMs) / 1000,
    };
  } finally {
    await service.close();
    await rm(outDir, { recursive: true, force: true });
  }
}
