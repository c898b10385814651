import { describeMutants } from "./describe-mutants.ts";

describeMutants(["settings", "limits", "burst", "spend", "tokens"]);
