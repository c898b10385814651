import { describeMutants } from "./describe-mutants.ts";

describeMutants(["embeddings", "images", "audio", "models", "usage"], {
  "usage/aborted-streams-missing": "no case breaks a stream off, so what it would have cost is never compared",
});
