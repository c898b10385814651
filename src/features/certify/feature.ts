import { InvalidArgumentError, Option, type Command } from "commander";
import type { Feature } from "../../command/feature.ts";
import { collect } from "../../command/collect.ts";
import { integerWithin } from "../../command/run-flags.ts";
import type { VerifyFlags } from "./commands/verify.ts";

/** Signed runs: `challenge`, `certify`, `verify`, `endorse`, and `--challenge` of a run (docs/guide/certification.md). */
export const certify: Feature = {
  addCommands(program, use) {
    program
      .command("challenge")
      .description("verifier: write a challenge that fixes the seed of a vendor's run")
      .option("--out <file>", "file to write", "challenge.json")
      .addOption(new Option("--hours <n>", "how many hours it can be used").argParser(parseHours).default(24))
      .option("--policy <file>", "policy that will be applied to the result; the challenge names its digest")
      .action(use(async () => (await import("./commands/challenge.ts")).challengeCommand));

    program
      .command("certify")
      .description("vendor: write a run and a signed statement about it to one file, a bundle")
      .argument("<run-dir>", "folder of the run")
      .requiredOption("--key <file|env:NAME>", "private key (PEM): Ed25519, or ECDSA on P-256")
      .option("--out <file>", "file to write (default: name of the run, with .assay.tar)")
      .option("--product <name>", "name of the product (default: name of the target)")
      .option("--product-version <version>", "version of the product")
      .action(use(async () => (await import("./commands/certify.ts")).certifyCommand));

    addVerifyFlags(
      program.command("verify").description("verifier: check a bundle offline: signature, record, and every verdict anew"),
    ).action(
      use(async () => {
        const { verifyCommand } = await import("./commands/verify.ts");
        return async (bundle: string, flags: VerifyFlags) => (await verifyCommand(bundle, flags)).exitCode;
      }),
    );

    addVerifyFlags(program.command("endorse").description("verifier: verify a bundle and sign the result"))
      .requiredOption("--key <file|env:NAME>", "private key of the verifier (PEM)")
      .option("--out <file>", "file to write (default: next to the bundle)")
      .action(use(async () => (await import("./commands/endorse.ts")).endorseCommand));
  },
  examples: {
    challenge: [["assay challenge --hours 24 --policy policy.yaml", "writes challenge.json: give it to the vendor"]],
    certify: [["assay certify reports/2026-11-22T10-00-00Z --key vendor-key.pem --product 'My server'", "write a signed bundle"]],
    verify: [
      ["assay verify my-server.assay.tar --trust vendor.pem", "check the signature, and judge the record again"],
      ["assay verify my-server.assay.tar --trust vendor.pem --signature-only", "take the verdicts on the word of the signer"],
    ],
    endorse: [["assay endorse my-server.assay.tar --trust vendor.pem --key verifier-key.pem", "verify and sign the result"]],
  },
  async prepareRun(flags) {
    if (flags.challenge === undefined && flags.key === undefined) return {};
    return (await import("./challenge/open-challenge.ts")).openChallenge(flags);
  },
};

function addVerifyFlags(command: Command): Command {
  return (
    command
      .argument("<bundle>", "file written by assay certify")
      .addOption(
        new Option("--trust <file>", "public key (PEM) of a signer that you trust, repeatable")
          .argParser(collect)
          .default([], "none"),
      )
      .option("--policy <file>", "what the result must meet, YAML or JSON (default: nothing violated, all in scope judged)")
      .option("--challenge <file>", "the challenge that you issued")
      .option("--commitments <dir>", "folder of the commitments that you received")
      .option("--signature-only", "check signature and digests only: the verdicts stay the word of the signer", false)
      // The default since it is: scripts name it.
      .addOption(new Option("--rejudge", "judge the evidence again (the default)").hideHelp())
      .addOption(
        new Option("--spot <k>", "send this many recorded requests, chosen at random, to --base-url again and compare").argParser(
          parseSpot,
        ),
      )
      .option("--base-url <url>", "live target for --spot; key: ASSAY_API_KEY")
      .option(
        "--statement <path>",
        "for an authentic bundle, write PATH.md, PATH.html, PATH.svg (badge) and PATH.earl.jsonld, and its report if it is judged again",
      )
  );
}

const parseSpot = integerWithin(1, 1000, "expected an integer from 1 to 1000");

function parseHours(text: string): number {
  const hours = Number(text);
  if (!(hours > 0 && hours <= 8760)) throw new InvalidArgumentError("expected hours, more than 0 and at most 8760");
  return hours;
}
