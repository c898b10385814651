import type { Result } from "../../core/result/result.ts";
import { scopeLines } from "../text/scope-words.ts";
import { SummaryWriter } from "./summary-writer.ts";
import type { Screen } from "./screen.ts";

/** The parts of a run without a verdict, each with its reason, and the manifest that would include them. */
export function renderScope({ scope, limits, load }: Result, screen: Screen): string {
  const writer = new SummaryWriter(screen);
  if (scope !== null) for (const line of scopeLines(scope)) writer.line(line);
  for (const { entry, requirements } of scope?.unmet ?? []) writer.line(plain(`required: ${entry}: ${requirements.join(", ")}`));
  for (const { id, reason } of scope?.lost ?? []) writer.line(plain(`judged by an earlier run: ${id}: ${reason}`));
  for (const { id, verdict, summary } of limits?.policies ?? [])
    if (verdict === "inconclusive") writer.line(plain(`limits ${id} inconclusive: ${summary}`));
  for (const { policy, reason } of limits?.notJudged ?? []) writer.line(plain(`limits ${policy} untested: ${reason}`));
  for (const { id, gates } of load?.profiles ?? [])
    for (const { verdict, expression, reason } of gates)
      if (verdict !== "pass" && verdict !== "fail") writer.line(plain(`load ${id}: ${expression} ${verdict}: ${reason ?? ""}`));
  const text = writer.text();
  return text.trim() === "" ? "everything that was asked for was judged\n" : text;
}

function plain(text: string): { readonly text: string; readonly dim: boolean } {
  return { text, dim: false };
}
