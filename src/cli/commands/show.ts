import { existsSync } from "node:fs";
import type { Result } from "../../core/result/result.ts";
import { exitCodes } from "../../core/result/verdict.ts";
import { useSavedResults } from "../../command/read-saved-result.ts";
import { safeJson } from "../../report/escape/json.ts";
import { renderFinding, renderFindings } from "../../report/terminal/render-findings.ts";
import { renderScope } from "../../report/terminal/render-scope.ts";
import { output } from "../../report/terminal/output.ts";
import type { Screen } from "../../report/terminal/screen.ts";
import { chooseFinding } from "./choose-finding.ts";

const lastRun = "reports/latest";

/** Shows the part of a run that its summary leaves out, page by page. The exit code says that it was shown, nothing of the verdict. */
export async function showCommand(
  run: string | undefined,
  asked: string | undefined,
  { json }: { readonly json: boolean },
): Promise<number> {
  // `assay show CHAT-020.jnrjh` means the last run, as long as there is no folder of that name.
  const isFinding = run !== undefined && asked === undefined && !existsSync(run) && existsSync(lastRun);
  const [folder, what] = isFinding ? [lastRun, run] : [run ?? lastRun, asked];
  const screen = output.screen("stdout");
  output.pageRendered(useSavedResults([folder], ([result]) => choose(result!, what)[json ? "json" : "text"](screen)));
  return exitCodes.met;
}

type Shown = Readonly<Record<"json" | "text", (screen: Screen) => string>>;

function choose(result: Result, what: string | undefined): Shown {
  if (what === undefined)
    return {
      json: () => `${safeJson({ findings: result.findings, scope: result.scope }, 2)}\n`,
      text: (screen) => `${renderFindings(result, screen)}\n${renderScope(result, screen)}`,
    };
  if (what === "scope") return { json: () => `${safeJson(result.scope, 2)}\n`, text: (screen) => renderScope(result, screen) };
  const finding = chooseFinding(result.findings, what, ["scope"]);
  return { json: () => `${safeJson(finding, 2)}\n`, text: (screen) => renderFinding(finding, screen) };
}
