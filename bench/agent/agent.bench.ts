import { agentTrials } from "./agent-trials.ts";
import { tryAgentReport } from "./try-agent-report.ts";

// Does the report for agents alone name the member, the place and the rule of a defect? Checked by table, without a model.
let named = 0;
let most = 0;
for (const trial of agentTrials) {
  const { missing, tokens, report } = await tryAgentReport(trial);
  most = Math.max(most, tokens);
  if (missing.length === 0) named += 1;
  else process.stdout.write(`${trial.mutant}: no ${missing.join(", no ")}\n${report}\n`);
}
process.stdout.write(`${named} of ${agentTrials.length} defects named; longest report ${most} tokens (estimated)\n`);
process.exitCode = named === agentTrials.length ? 0 : 1;
