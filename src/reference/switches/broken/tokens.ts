import type { Mutant } from "../switch.ts";
import { besideLoad, inExam } from "../switch-builders.ts";

export const tokenMutants: readonly Mutant[] = [
  inExam("tokens/not-enforced", "Tokens are counted, but never refused", ["RATE-032", "tokens.over-admission"], {
    needs: ["key:lowToken"],
  }),
  inExam("tokens/streams-free", "Streams use no tokens", ["tokens.wrong-charge"], {
    mayAlsoFail: ["RATE-031"],
    origin: "aisix#688",
  }),
  inExam("tokens/left-free", "Streams that the client leaves use no tokens", ["tokens.left-free"], { mayAlsoFail: ["RATE-031"] }),
  inExam(
    "tokens/left-uncounted",
    "A stream that its client leaves is taken off the count of requests",
    ["tokens.left-uncounted"],
    {
      mayAlsoFail: ["RATE-043"],
    },
  ),
  inExam(
    "tokens/left-slots",
    "A key has eight places, and a client that leaves its stream keeps its place",
    ["tokens.left-slots"],
    {
      mayAlsoFail: ["RATE-024", "RATE-045", "SVC-021", "ERR-032"],
      origin: "litellm#27955",
    },
  ),
  inExam("tokens/cached-twice", "What a cache holds of a prompt is charged twice", ["tokens.wrong-charge"], {
    mayAlsoFail: ["RATE-031"],
  }),
  inExam("tokens/embeddings-free", "Embeddings use no tokens", ["tokens.wrong-charge"], { mayAlsoFail: ["RATE-031"] }),
  inExam("tokens/prompt-only", "Only prompt tokens count", ["tokens.wrong-charge"], {
    mayAlsoFail: ["RATE-031", "tokens.over-admission"],
  }),
  inExam("tokens/completion-only", "Only completion tokens count", ["tokens.over-admission"], {
    mayAlsoFail: ["tokens.wrong-charge", "RATE-032", "RATE-031", "tokens.over-admission"],
    origin: "LiteLLM",
  }),
  inExam("tokens/double", "Tokens count twice", ["tokens.wrong-charge"], { mayAlsoFail: ["RATE-031"] }),
  inExam("tokens/estimate-kept", "The estimate is never corrected", ["tokens.wrong-charge"], { mayAlsoFail: ["RATE-031"] }),
  inExam("tokens/stream-estimate-kept", "What a stream held and did not use is never returned", ["tokens.wrong-charge"], {
    mayAlsoFail: ["RATE-031"],
    origin: "PostHog#45116",
  }),
  inExam("tokens/reservation-leak", "What was held is never returned", ["tokens.wrong-charge"], {
    mayAlsoFail: ["RATE-031"],
    origin: "worldmonitor#8189",
  }),
  inExam("tokens/lost-updates", "The charge is added to the count as it was when the request came", ["tokens.lost-updates"], {
    mayAlsoFail: ["RATE-031", "tokens.wrong-charge", "tokens.over-admission"],
  }),
  inExam("tokens/remaining-constant", "Remaining tokens always equal the limit", ["tokens.wrong-charge"], {
    mayAlsoFail: ["RATE-031"],
  }),
  besideLoad(
    "tokens/shared-under-load",
    "While more than eight requests are under way, tokens of all keys are counted together",
    ["tokens.phantom-consumption"],
    { mayAlsoFail: ["RATE-031", "RATE-046"] },
  ),
  inExam("tokens/status-400", "The token limit answers 400", ["tokens.refusal-status"], { mayAlsoFail: ["RATE-032"] }),
  inExam("tokens/status-503", "The token limit answers 503", ["tokens.refusal-status"], {
    mayAlsoFail: ["RATE-032", "RATE-045"],
  }),
  inExam("tokens/retry-after-zero", "The token limit says to wait 0 s", ["tokens.retry-after-too-short"], {
    mayAlsoFail: ["RATE-024", "RATE-044"],
  }),
  inExam("tokens/retry-after-short", "The token limit names half the true wait", ["tokens.retry-after-too-short"], {
    mayAlsoFail: ["RATE-024"],
  }),
  inExam("tokens/retry-after-milliseconds", "The token limit states its wait in milliseconds", ["tokens.retry-after-too-long"], {
    mayAlsoFail: ["RATE-020", "RATE-023", "RATE-044"],
  }),
  inExam("tokens/retry-after-hour-longer", "The token limit names a wait an hour too long", ["tokens.retry-after-too-long"], {
    mayAlsoFail: ["RATE-020", "RATE-023", "RATE-044"],
  }),
];
