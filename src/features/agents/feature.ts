import type { Feature } from "../../command/feature.ts";

/** Load that other machines send: `assay agent`, and `--agents` of a run (docs/guide/agents.md). */
export const agents: Feature = {
  addCommands(program, use) {
    program
      .command("agent")
      .description("send load for runs of other machines that are started with --agents")
      .requiredOption("--redis <url>", "Redis or Valkey where runs and agents meet; the password comes from ASSAY_REDIS_PASSWORD")
      .option("--redis-prefix <text>", "first part of all keys there (default: assay)")
      .option("--base-url <url>", "the one target that it sends to; the key comes from ASSAY_API_KEY of this machine")
      .option("--config <file>", "manifest of the target, with the keys of this machine (default: the nearest assay.config.yaml)")
      .option("--name <text>", "how runs name it (default: host name and process id)")
      .action(use(async () => (await import("./commands/agent.ts")).agentCommand));
  },
  examples: {
    agent: [
      [
        "assay agent --redis redis://broker:6379 --base-url https://staging.example/api",
        "on each machine; the key in ASSAY_API_KEY",
      ],
    ],
  },
  async prepareRun(flags, manifest) {
    const { agents: count, redis, sealFor } = flags;
    if (flags.plan || (count === undefined && redis === undefined && sealFor === undefined)) return {};
    const { openAgents } = await import("./commands/open-agents.ts");
    return { agents: await openAgents(flags, manifest) };
  },
  async diagnose(flags, manifest) {
    const { redis } = flags;
    if (redis === undefined) return [];
    const { diagnoseChosenAgents } = await import("./commands/diagnose-chosen-agents.ts");
    return diagnoseChosenAgents({ ...flags, redis }, manifest);
  },
};
