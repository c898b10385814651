import type { LoadLimitCheck } from "../../core/result/gate-result.ts";

/** `requests: 7 met, 1 violated; burst: 2 inconclusive`; by family, in the order of the checks. */
export function limitCheckWords(checks: readonly LoadLimitCheck[]): string {
  const kinds = [...new Set(checks.map(({ kind }) => kind))];
  return kinds
    .map((kind) => {
      const own = checks.filter((check) => check.kind === kind);
      const counts = Object.entries(words).flatMap(([verdict, word]) => {
        const count = own.filter((check) => check.verdict === verdict).length;
        return count > 0 ? [`${count} ${word}`] : [];
      });
      return `${kind}: ${counts.join(", ")}`;
    })
    .join("; ");
}

const words: Readonly<Record<LoadLimitCheck["verdict"], string>> = {
  pass: "met",
  fail: "violated",
  advisory: "advisory",
  observed: "observed",
  inconclusive: "inconclusive",
  "not-applicable": "not applicable",
  untested: "untested",
  excluded: "excluded",
};
