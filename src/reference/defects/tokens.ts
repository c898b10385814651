import type { Switch } from "./switch.ts";
import { mutant, variant } from "./switch-builders.ts";

const needs = ["stage:limits"] as const;

const variants: readonly Switch[] = [
  variant(
    "tokens/charged-after",
    "Tokens are charged when the response has ended",
    "When tokens are charged is open (RATE-031, RATE-041).",
    {
      excludes: ["tokens/estimate-reconciled"],
    },
  ),
  variant(
    "tokens/estimate-reconciled",
    "max_tokens is held and corrected at the end",
    "Holding an estimate is allowed (RATE-031).",
    {
      excludes: ["tokens/charged-after"],
    },
  ),
];

const mutants: readonly Switch[] = [
  mutant("tokens/not-enforced", "Tokens are counted, but never refused", ["RATE-032", "limits:tok.over"], {
    needs: [...needs, "key:lowToken"],
  }),
  mutant("tokens/streams-free", "Streams use no tokens", ["limits:tok.account"], {
    mayAlsoFail: ["RATE-031"],
    origin: "aisix#688",
    needs,
  }),
  mutant("tokens/prompt-only", "Only prompt tokens count", ["limits:tok.account"], {
    mayAlsoFail: ["RATE-031", "limits:tok.over"],
    needs,
  }),
  mutant("tokens/completion-only", "Only completion tokens count", ["limits:tok.over"], {
    mayAlsoFail: ["limits:tok.account", "RATE-032", "RATE-031", "limits:tok.over"],
    origin: "LiteLLM",
    needs,
  }),
  mutant("tokens/double", "Tokens count twice", ["limits:tok.account"], { mayAlsoFail: ["RATE-031"], needs }),
  mutant("tokens/estimate-kept", "The estimate is never corrected", ["limits:tok.account"], { mayAlsoFail: ["RATE-031"], needs }),
  mutant("tokens/reservation-leak", "What was held is never returned", ["limits:tok.account"], {
    mayAlsoFail: ["RATE-031"],
    origin: "worldmonitor#8189",
    needs,
  }),
  mutant("tokens/remaining-constant", "Remaining tokens always equal the limit", ["limits:tok.account"], {
    mayAlsoFail: ["RATE-031"],
    needs,
  }),
];

export const tokenSwitches: readonly Switch[] = [...variants, ...mutants];
