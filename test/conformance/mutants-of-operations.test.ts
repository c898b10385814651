import { describeMutants } from "./describe-mutants.ts";

describeMutants(["embeddings", "images", "audio", "models", "usage"]);
