import type { DoctorFlags } from "../../command/doctor-flags.ts";
import { addReachFlags } from "../../command/target-flags.ts";
import type { Feature } from "../../command/feature.ts";

/** A first look at a target: `assay init` writes a manifest that fits it, `assay doctor` says what stands against a run. */
export const doctor: Feature = {
  addCommands(program, use, features) {
    addReachFlags(program.command("init"))
      .description("write a commented assay.config.yaml")
      .option("--base-url <url>", "look at this target first and fill in its models, limits and endpoints; key: ASSAY_API_KEY")
      .option("--force", "overwrite an existing file", false)
      .action(use(async () => (await import("./commands/init.ts")).initCommand));

    addReachFlags(program.command("doctor"))
      .description("check a target and this machine with at most ten requests")
      .option("--base-url <url>", "target; key: ASSAY_API_KEY")
      .option("--config <file>", "manifest of the target")
      .option("--redis <url>", "check the agents that wait there, too")
      .option("--redis-prefix <text>", "with --redis: first part of all keys (default: assay)")
      .option("--profile <name>", "with --redis: load profile that they are to send")
      .option("--json", "print JSON", false)
      .action(
        use(async () => {
          const { doctorCommand } = await import("./commands/doctor.ts");
          return (flags: DoctorFlags) => doctorCommand(flags, features);
        }),
      );
  },
  examples: {
    init: [["assay init --base-url https://staging.example/api", "a manifest that fits this server"]],
    doctor: [
      ["assay doctor --base-url https://staging.example/api", "is it reachable, is the key accepted, which headers are there"],
      [
        "assay doctor --header 'x-tenant: ${TENANT}' --proxy http://proxy.example:3128",
        "behind a proxy, with a header of its own",
      ],
    ],
  },
};
