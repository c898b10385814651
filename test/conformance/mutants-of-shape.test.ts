import { describeMutants } from "./describe-mutants.ts";

describeMutants(["auth", "errors", "headers", "transport"], {
  "auth/401-as-403": "declares no AUTH-009, whose probes are requests without credentials too",
  "auth/401-as-400": "declares no AUTH-009, whose probes are requests without credentials too",
  "auth/403-as-401": "declares no AUTH-029, although its 401 carries no challenge",
  "errors/200-with-error-body": "declares no AUD-002, AUD-020 and AUD-023, whose refusals turn into 200 as well",
});
