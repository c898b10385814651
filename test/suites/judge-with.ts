import { openJudgeContext } from "../../src/run/record/judge-context.ts";
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

/** Verdicts of one judge as `EMB-003 fail`, in the order of the record. */
export function judgeWith(judge: Judge, exchanges: readonly Exchange[], manifest: Partial<Manifest> = {}): readonly string[] {
  return judgeExchanges(exchanges, [judge], contextWith(manifest)).map(({ requirement, outcome }) => `${requirement} ${outcome}`);
}

/** The verdicts on one requirement only. */
export function verdictsOn(
  requirement: string,
  judge: Judge,
  exchanges: readonly Exchange[],
  manifest: Partial<Manifest> = {},
): readonly string[] {
  return judgeWith(judge, exchanges, manifest)
    .filter((line) => line.startsWith(`${requirement} `))
    .map((line) => line.slice(requirement.length + 1));
}
