import { describeMutants } from "./describe-mutants.ts";

describeMutants(["chat", "stream"]);
