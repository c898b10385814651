// One run of the built library: node one-run.mjs '{"stages":["conformance"],"mutants":[],"outDir":"..."}'
// Prints one line of JSON: exit code, verdict, reason and findings.
import { run } from "../../dist/src/index.js";

const request = JSON.parse(process.argv[2]);
const { result } = await run(request);
const findings = result.findings
  .filter(({ verdict }) => verdict === "fail")
  .map(({ requirement, check }) => requirement ?? check);
const { exitCode, verdict, reason } = result;
process.stdout.write(`${JSON.stringify({ exitCode, verdict, reason, findings: findings.slice(0, 5) })}\n`);
