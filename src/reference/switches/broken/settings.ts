import type { Mutant } from "../switch.ts";
import { mutantNeeding } from "../switch-builders.ts";

const changing = mutantNeeding("permission:patchSettings");

export const settingsMutants: readonly Mutant[] = [
  changing("settings/change-ignored", "A change of key settings is confirmed and dropped", ["KEY-012"], {
    mayAlsoFail: ["KEY-011", "KEY-014", "BURST-002", "BURST-003", "BURST-005", "BURST-006", "BURST-019", "SPEND-001"],
  }),
  changing(
    "settings/account-change-ignored",
    "A change of the account cap is confirmed and dropped",
    ["spend.account-cap-ignored"],
    {
      mayAlsoFail: ["ACC-004", "ACC-005", "SPEND-010", "SPEND-011"],
      needs: ["permission:spendUpToCents"],
    },
  ),
  changing("settings/omitted-members-reset", "Members that a change leaves out are cleared", ["KEY-014"], {
    mayAlsoFail: ["KEY-012", "BURST-002", "burst.over-admission"],
  }),
  changing("settings/changes-every-key", "A change reaches every key of the account", ["KEY-013"], {
    mayAlsoFail: ["BURST-012", "SPEND-001", "SPEND-002", "SPEND-008", "SPEND-009", "spend.keys-share-cap"],
    needs: ["key:secondary"],
  }),
  changing("settings/changes-every-key-late", "A change reaches every key of the account after some seconds", ["KEY-013"], {
    mayAlsoFail: ["BURST-012", "SPEND-001", "SPEND-002", "SPEND-008", "SPEND-009", "spend.keys-share-cap"],
    needs: ["key:secondary"],
  }),
  changing("settings/foreign-key-changed", "Keys of other workspaces can be changed", ["KEY-017", "KEY-018"], {
    mayAlsoFail: ["ERR-019"],
    needs: ["foreign-key-id"],
  }),
];
