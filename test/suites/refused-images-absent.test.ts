import { expect, it } from "vitest";
import { runSuites } from "./run-suites.ts";

it("asks for no picture to be refused where the manifest declares that there are none", async () => {
  const { exchanges } = await runSuites(["usage"], {}, (manifest) => ({
    ...manifest,
    features: { ...manifest.features, images: false },
  }));
  expect(exchanges.some(({ caseId }) => caseId === "usage/refused-requests")).toBe(true);
  expect(exchanges.filter(({ endpoint }) => endpoint === "images")).toEqual([]);
});
