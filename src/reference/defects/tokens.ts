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
  mutant("tokens/not-enforced", "Tokens are counted, but never refused", ["RATE-032", "tokens.over-admission"], {
    needs: [...needs, "key:lowToken"],
  }),
  mutant("tokens/streams-free", "Streams use no tokens", ["tokens.wrong-charge"], {
    mayAlsoFail: ["RATE-031"],
    origin: "aisix#688",
    needs,
  }),
  mutant("tokens/prompt-only", "Only prompt tokens count", ["tokens.wrong-charge"], {
    mayAlsoFail: ["RATE-031", "tokens.over-admission"],
    needs,
  }),
  mutant("tokens/completion-only", "Only completion tokens count", ["tokens.over-admission"], {
    mayAlsoFail: ["tokens.wrong-charge", "RATE-032", "RATE-031", "tokens.over-admission"],
    origin: "LiteLLM",
    needs,
  }),
  mutant("tokens/double", "Tokens count twice", ["tokens.wrong-charge"], { mayAlsoFail: ["RATE-031"], needs }),
  mutant("tokens/estimate-kept", "The estimate is never corrected", ["tokens.wrong-charge"], {
    mayAlsoFail: ["RATE-031"],
    needs,
  }),
  mutant("tokens/reservation-leak", "What was held is never returned", ["tokens.wrong-charge"], {
    mayAlsoFail: ["RATE-031"],
    origin: "worldmonitor#8189",
    needs,
  }),
  mutant("tokens/lost-updates", "The charge is added to the count as it was when the request came", ["tokens.lost-updates"], {
    mayAlsoFail: ["RATE-031", "tokens.wrong-charge", "tokens.over-admission"],
    needs,
  }),
  mutant("tokens/remaining-constant", "Remaining tokens always equal the limit", ["tokens.wrong-charge"], {
    mayAlsoFail: ["RATE-031"],
    needs,
  }),
];

export const tokenSwitches: readonly Switch[] = [...variants, ...mutants];
