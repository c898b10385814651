import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

/** Settings and usage as the engine keeps them; `settings-surface.ts` has the answers. */
export const accountVariants: readonly Variant[] = [
  variant(
    "usage/first-bucket-cut",
    "The bucket in which a window begins is labelled with the start of the window",
    "What is reported of it begins there; its timestamp is said to be the start of the bucket.",
  ),
  variant(
    "usage/basic-timestamps",
    "Timestamps of buckets have no separators (20261125T000000Z)",
    "ISO 8601 has a basic and an extended format, and no format is named.",
  ),
  variant(
    "usage/cents",
    "Costs are rounded to cents, and the aggregate is their sum",
    "Dollars are the unit; how many decimal places a report shows is open.",
  ),
  variant("usage/empty-buckets-omitted", "Buckets without usage are not listed", "Whether they are is open (USG-034)."),
  variant(
    "usage/local-time",
    "Buckets follow a time zone of UTC+05:30",
    "The time zone is open; a constant offset is advisory (AMB-34).",
    { changes: ["USG-017", "USG-037"] },
  ),
  variant(
    "usage/report-in-steps",
    "The report is compiled every 20 seconds: it shows nothing that was used since",
    "How fresh it is is open (AMB-35).",
    { changes: ["USG-032"] },
  ),
  variant("usage/report-lags", "The report is two seconds behind", "How fresh it is is open (AMB-35).", { changes: ["USG-032"] }),
  variant("settings/delayed", "Changes take effect after 0.8 s", "How fast they do is open; cases wait for it (AMB-18).", {
    changes: ["KEY-015"],
  }),
];
