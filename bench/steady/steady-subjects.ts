import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { createRandom } from "../../src/core/random.ts";
import type { RunRequest } from "../../src/index.ts";
import { foreignManifest } from "../detection/foreign/foreign-manifest.ts";
import { startForeignService } from "../detection/foreign/foreign-service.ts";
import { knownPersonalities } from "../detection/personalities.ts";
import { drawMutants } from "../detection/trial.ts";

/** A server that is judged again and again. */
export interface SteadySubject {
  readonly name: string;
  /** `lawful` never ends in 1; `defective` never in 0 where it ended in 1 in calm; `peer`: a server that we did not write, likewise. */
  readonly kind: "lawful" | "defective" | "peer";
  readonly open: () => Promise<OpenSubject>;
}

interface OpenSubject {
  readonly target: Pick<RunRequest, "manifest" | "baseUrl" | "key" | "variants" | "mutants" | "profiles">;
  readonly close: () => Promise<void>;
}

const embedded = (variants: readonly string[], mutants: readonly string[]): SteadySubject["open"] => {
  return () => Promise.resolve({ target: { variants, mutants }, close: () => Promise.resolve() });
};

const waitsMs = 20_000;

const foreign: SteadySubject = {
  name: "second service",
  kind: "lawful",
  open: async () => {
    const service = await startForeignService({ port: 0, skewMs: 0 });
    const profiles = [join(import.meta.dirname, "whole-answers.yaml")];
    return { target: { manifest: foreignManifest(service, waitsMs), profiles }, close: () => service.close() };
  },
};

const aimock: SteadySubject = {
  name: "aimock",
  kind: "peer",
  open: async () => {
    const mock = new LLMock({ port: 0, logLevel: "silent" });
    mock.onMessage(/.*/, { content: "The quick brown fox jumps over the lazy dog." });
    mock.onEmbedding(/.*/, { embedding: [0.1, 0.2, 0.3, 0.4] });
    await mock.start();
    return { target: { baseUrl: mock.url, key: "sk-test-key" }, close: () => mock.stop() };
  },
};

export function lawfulSubjects(count: number): readonly SteadySubject[] {
  const own = knownPersonalities.map(({ name, variants }): SteadySubject => ({
    name,
    kind: "lawful",
    open: embedded(variants, []),
  }));
  return [foreign, ...own].slice(0, count);
}

export function defectiveSubjects(count: number, seed: number): readonly SteadySubject[] {
  const mutants = drawMutants(createRandom(seed), count).map(({ id }): SteadySubject => ({
    name: id,
    kind: "defective",
    open: embedded([], [id]),
  }));
  return count === 0 ? [] : [aimock, ...mutants];
}
