import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { controlToken } from "../../make/control-token.ts";
import { workingDayMs } from "../../make/working-day.ts";
import { brokenAnswers } from "./broken-answers.ts";
import { startBrokenGateway } from "./broken-gateway.ts";
import { printSaid } from "./print-said.ts";

const golden = fileURLToPath(new URL("broken-answers.md", import.meta.url));
const minuteMs = 60_000;

const introduction = `# Broken answers

Each answer of the operation is broken in the way that the heading says. Below it stands what \`assay check\` says of that: why nothing
can be measured (INVALID), or each finding. \`npx vitest run test/conformance/broken-answers -u\` writes this file.
`;

it("has the message for each broken answer that its reader needs", async () => {
  const service = await startReferenceService({
    clock: { kind: "manual", startMs: workingDayMs + 620_000 },
    seed: 1,
    latency: "instant",
    controlToken,
  });
  const gateway = await startBrokenGateway(service.manifest.target.baseUrl);
  const manifest = { ...service.manifest, target: { ...service.manifest.target, baseUrl: gateway.url, timeoutMs: 30_000 } };
  let elapsedMs = 0;
  const clock: Clock = {
    nowMs: () => (elapsedMs += 0.01),
    wallMs: () => service.engine.clock.wallMs(),
    sleep: async (ms) => {
      elapsedMs += ms;
      await service.engine.clock.advance(ms);
    },
  };
  const lines = [introduction];
  try {
    for (const [heading, list] of Object.entries(brokenAnswers)) {
      lines.push(`## ${heading}\n`);
      for (const broken of list) {
        gateway.breakAs(broken);
        const said = await printSaid(broken, manifest, clock);
        lines.push(`### ${broken.of}: ${broken.name}\n`, ...said.map((line) => `    ${line}`), "");
        await clock.sleep(2 * minuteMs);
      }
    }
  } finally {
    await gateway.close();
    await service.close();
  }
  await expect(lines.join("\n")).toMatchFileSnapshot(golden);
});
