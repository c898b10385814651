import { openJudgeContext } from "../../src/run/judge-context.ts";
import { completeManifest } from "../../src/config/complete-manifest.ts";
import { judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import type { Judge, JudgeContext } from "../../src/conformance/judging/judge.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../src/core/manifest.ts";

export function contextWith(manifest: Partial<Manifest> = {}): JudgeContext {
  const usual = completeManifest({ target: { baseUrl: "http://127.0.0.1:1" } });
  const known = {
    ...usual,
    keys: {},
    models: { chat: "chat-model", embedding: "embedding-model", transcription: "audio-model" },
    features: {},
    exclusive: false,
    ...manifest,
    target: { ...usual.target, ...manifest.target },
  };
  return openJudgeContext(known);
}

/** The verdicts of a judge on one requirement, in the order of the record. */
export function verdictsOn(requirement: string, judge: Judge, exchanges: readonly Exchange[]): readonly string[] {
  const said = judgeExchanges(exchanges, [judge], contextWith());
  return said.filter((one) => one.requirement === requirement).map(({ outcome }) => outcome);
}
