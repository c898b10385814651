import { describeMutants } from "./describe-mutants.ts";
import { areasOfFile } from "./switch-areas.ts";

describeMutants(areasOfFile.shape);
