import { visibleJson } from "../../../core/exchange/bodies/visible-json.ts";
import type { Verdict } from "../../../core/result/verdict.ts";
import type { Presentable } from "./statement-report.ts";

/** Words of W3C EARL 1.0, which distinguishes untested from cantTell. */
const outcomes: Readonly<Record<Verdict, string>> = {
  pass: "earl:passed",
  fail: "earl:failed",
  advisory: "earl:passed",
  observed: "earl:cantTell",
  inconclusive: "earl:cantTell",
  "not-applicable": "earl:inapplicable",
  untested: "earl:untested",
  excluded: "earl:untested",
};

/** One assertion for each requirement, as JSON-LD. */
export function renderEarl({ predicate, signer }: Presentable): string {
  const { product, run, requirements, tool } = predicate;
  const assertions = Object.entries(requirements).flatMap(([verdict, rows]) =>
    rows.map((row) => {
      const { id, reason } = typeof row === "string" ? { id: row, reason: null } : row;
      return {
        "@type": "earl:Assertion",
        "earl:assertedBy": { "@id": "_:assertor" },
        "earl:subject": { "@id": "_:subject" },
        "earl:test": { "@type": "earl:TestRequirement", "dct:identifier": id },
        "earl:mode": { "@id": "earl:automatic" },
        "earl:result": {
          "@type": "earl:TestResult",
          "earl:outcome": { "@id": Object.hasOwn(outcomes, verdict) ? outcomes[verdict as Verdict] : "earl:cantTell" },
          "dct:date": run.startedAt,
          ...(reason === null ? {} : { "dct:description": reason }),
          ...(verdict === "advisory" || verdict === "observed" ? { "dct:title": verdict } : {}),
        },
      };
    }),
  );
  const document = {
    "@context": {
      earl: "http://www.w3.org/ns/earl#",
      dct: "http://purl.org/dc/terms/",
      doap: "http://usefulinc.com/ns/doap#",
    },
    "@graph": [
      {
        "@id": "_:subject",
        "@type": ["earl:TestSubject", "doap:Project"],
        "doap:name": product.name,
        "doap:release": { "doap:revision": product.version },
      },
      {
        "@id": "_:assertor",
        "@type": ["earl:Assertor", "earl:Software"],
        "dct:title": `assay ${tool.version}`,
        "dct:identifier": signer.id,
      },
      ...assertions,
    ],
  };
  return `${visibleJson(document, 1)}\n`;
}
