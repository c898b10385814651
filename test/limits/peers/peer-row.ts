import type { LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";

/** One row of the table of limiters that others wrote. */
export function peerRow(id: string, { result, findings }: LimitsJudgement): string {
  const [policy] = result.policies;
  const survivors = policy?.identification?.survivors ?? [];
  const families = survivors.map(({ family }) => family).join(", ");
  const open = policy?.checks.filter(({ verdict }) => verdict === "inconclusive").map((check) => check.id) ?? [];
  const reported = findings.map(({ check, verdict }) => (verdict === "fail" ? `**${check}**` : `advisory \`${check}\``));
  const cells = [
    id,
    families || "none",
    policy?.tier ?? "not judged",
    reported.join(", ") || "nothing",
    open.join(", ") || "nothing",
  ];
  return `| ${cells.join(" | ")} |`;
}
