import { afterEach, expect, it, vi } from "vitest";
import { startReferenceProcess } from "../../../src/run/reference/reference-process.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

it("announces its keys unmasked, though the environment holds one of them as a secret", async () => {
  const keyOf = async (): Promise<string | undefined> => {
    const service = await startReferenceProcess({ latency: "instant", seed: 9 });
    await service.close();
    return service.manifest.keys["load"]?.secret;
  };
  const key = await keyOf();
  expect(key).toMatch(/^\w{20,}$/);
  vi.stubEnv("ASSAY_API_KEY", key);
  expect(await keyOf()).toBe(key);
});
