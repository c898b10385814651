import type { Finding } from "../core/result/finding.ts";
import type { Result } from "../core/result/result.ts";
import { orderFindings } from "./order-findings.ts";

/** The findings that fail the run, in the order of reading. Every output counts these, and calls them failures. */
export function listFailures({ findings, strict }: Pick<Result, "findings" | "strict">): readonly Finding[] {
  return orderFindings(findings).filter(({ verdict, baselined }) => !baselined && (verdict === "fail" || strict));
}
