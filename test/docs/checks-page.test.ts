import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { limitChecks } from "../../src/core/result/checks/limit-checks.ts";
import { limitCheckTables } from "../../src/core/result/checks/limit-policies.ts";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import { readCatalogue } from "../../src/schemas/read-catalogue.ts";
import { markdownTable } from "./markdown-table.ts";

/** Checks that no defect of the reference service names as what it violates first, and why. */
const withoutDefect: Readonly<Record<string, string>> = {
  "limits.algorithm":
    "all defects contradict themselves as well; a bucket that refills too slowly: test/limits/faulty-limiters.test.ts",
  "limits.limit-differs-from-plan": "the defects of the headers violate RATE-027 and RATE-028, which it decides",
  "limits.reset-moved-back": "a bucket that refills too fast may show it; advice",
  "limits.capacity-above-limit": "a bucket of one more: test/limits/foreign-limiters.test.ts",
  "limits.second-limit": "a second limit whose waits are broken: test/limits/foreign-limiters.test.ts",
  "limits.clocks-differ": "the reference service has one clock: test/limits/foreign-limiters.test.ts",
  "burst.retry-after-form": "the defects of refusals violate BURST-006 or limits.retry-after-form",
  "queue.out-of-order": "advice; no defect reorders a queue",
};

const introduction = `# Checks of the limits stage

Generated from the list in \`src/core/checks/\` by \`test/docs/checks-page.test.ts\` (\`npx vitest run test/docs -u\` rewrites it).
\`assay list checks\` prints the list, \`assay explain ID\` one check with the defects of the reference service that it finds.

A check of level \`must\` decides a sentence of the specification. \`implied\`: the opposite makes a statement of the service itself
false, such as the wait or the reset that it names. Both fail a run; \`should\` is advice.
`;

function renderPage(): string {
  const sections = Object.entries(limitCheckTables).map(([policy, { title }]) => {
    const rows = limitChecks
      .filter((check) => check.policy === policy)
      .map((check) => [`\`${check.id}\``, check.level, check.title, check.violation, check.requirements.join(" ")]);
    return `## ${title}\n\n${markdownTable(["id", "level", "holds", "a violation means", "requirements"], rows)}\n`;
  });
  return `${introduction}\n${sections.join("\n")}`;
}

describe("list of checks", () => {
  it("is the page docs/checks.md", async () => {
    await expect(renderPage()).toMatchFileSnapshot(resolve(import.meta.dirname, "../../docs/checks.md"));
  });

  it("names only requirements of the catalogue, each check with at least one", () => {
    const rows = new Set(readCatalogue().map(({ id }) => id));
    expect(limitChecks.filter(({ requirements }) => requirements.length === 0)).toEqual([]);
    expect(limitChecks.flatMap(({ requirements }) => requirements).filter((id) => !rows.has(id))).toEqual([]);
  });

  it("says must only where the catalogue does", () => {
    const levels = new Map(readCatalogue().map(({ id, level }) => [id, level]));
    const stated = limitChecks.filter(
      ({ level, requirements }) => (levels.get(requirements[0]!) === "must") !== (level === "must"),
    );
    expect(stated.map(({ id }) => id)).toEqual(["queue.out-of-order"]);
  });

  it("has a defect for every check, or says why not", () => {
    const violated = new Set(allSwitches.flatMap((one) => (one.kind === "mutant" ? one.violates : [])));
    const open = limitChecks.map(({ id }) => id).filter((id) => !violated.has(id));
    expect(open.sort()).toEqual(Object.keys(withoutDefect).sort());
  });
});
