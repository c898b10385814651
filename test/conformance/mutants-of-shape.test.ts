import { describeMutants } from "./describe-mutants.ts";

describeMutants(["auth", "errors", "headers", "transport"]);
