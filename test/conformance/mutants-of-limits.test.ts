import { describeMutants } from "./describe-mutants.ts";

describeMutants(["settings", "limits", "burst", "spend", "tokens"], {
  "settings/changes-every-key": "declares no SPEND-001 and SPEND-002, although the key at its cap is changed too",
});
