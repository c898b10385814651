import { examine, simulatedManifest } from "../test/limits/simulation/exam.ts";
import { faultyLimiters } from "../test/limits/simulation/faulty-limiters.ts";
import { lawfulLimiters } from "../test/limits/simulation/lawful-limiters.ts";
import { serveRequests } from "../test/limits/simulation/request-service.ts";

/**
 * Power of the limit exam against simulated limiters: false accusations on lawful ones, kills of faulty ones.
 * Usage: node bench/limits-power.ts [seeds] [limit] [short|full]
 */
const seeds = Number(process.argv[2] ?? 20);
const limit = Number(process.argv[3] ?? 60);
const exam = process.argv[4] === "full" ? "full" : "short";

for (const limiter of lawfulLimiters) {
  const counts = new Map<string, number>();
  for (let seed = 1; seed <= seeds; seed += 1) {
    const judged = await examine({
      seed,
      service: serveRequests(limiter.create(limit, 60_000)),
      manifest: simulatedManifest(limit),
      exam,
    });
    for (const finding of judged.findings)
      counts.set(`${finding.verdict}:${finding.check}`, (counts.get(`${finding.verdict}:${finding.check}`) ?? 0) + 1);
    for (const policy of judged.result.policies) counts.set(policy.verdict, (counts.get(policy.verdict) ?? 0) + 1);
  }
  console.log("lawful", limiter.id.padEnd(30), [...counts].map(([id, count]) => `${id}=${count}`).join(" "));
}
for (const mutant of faultyLimiters) {
  const counts = new Map<string, number>();
  let killed = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const judged = await examine({
      seed,
      service: serveRequests(mutant.create(limit, 60_000)),
      manifest: simulatedManifest(limit),
      exam,
    });
    const failing = judged.findings.filter((finding) => finding.verdict === "fail");
    if (failing.length > 0) killed += 1;
    for (const finding of judged.findings)
      counts.set(`${finding.verdict}:${finding.check}`, (counts.get(`${finding.verdict}:${finding.check}`) ?? 0) + 1);
  }
  console.log("faulty", mutant.id.padEnd(30), `${killed}/${seeds}`, [...counts].map(([id, count]) => `${id}=${count}`).join(" "));
}
