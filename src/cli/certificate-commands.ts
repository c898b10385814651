import { InvalidArgumentError, Option, type Command } from "commander";
import { collect } from "./run-flags.ts";
import type { CertifyFlags } from "./commands/certify.ts";
import type { ChallengeFlags } from "./commands/challenge.ts";
import type { EndorseFlags } from "./commands/endorse.ts";
import type { VerifyFlags } from "./commands/verify.ts";

/** `challenge`, `certify`, `verify`, `endorse` (docs/certification.md). */
export function addCertificateCommands(program: Command, exitWith: (code: number) => void): void {
  program
    .command("challenge")
    .description("for a verifier: write a challenge that a vendor has to run with")
    .option("--out <file>", "where it goes", "challenge.json")
    .addOption(new Option("--hours <n>", "it may be used so long").argParser(parseHours).default(24))
    .option("--policy <file>", "policy that will be applied; its digest goes into the challenge")
    .action(async (flags: ChallengeFlags) => {
      const { challengeCommand } = await import("./commands/challenge.ts");
      exitWith(challengeCommand(flags));
    });

  program
    .command("certify")
    .description("write a run, what follows from it and a signed statement about it as one file")
    .argument("<run-dir>", "folder of the run")
    .requiredOption("--key <file|env:NAME>", "private key, PEM: Ed25519, or ECDSA on P-256")
    .option("--out <file>", "the bundle (default: name of the run and .assay.tar)")
    .option("--product <name>", "what was tested (default: name of the target)")
    .option("--product-version <version>", "its version")
    .action(async (folder: string, flags: CertifyFlags) => {
      const { certifyCommand } = await import("./commands/certify.ts");
      exitWith(await certifyCommand(folder, flags));
    });

  addVerifyFlags(
    program.command("verify").description("check a bundle, offline: who signed what, and whether it follows"),
  ).action(async (bundle: string, flags: VerifyFlags) => {
    const { verifyCommand } = await import("./commands/verify.ts");
    exitWith(await verifyCommand(bundle, flags));
  });

  addVerifyFlags(program.command("endorse").description("verify a bundle and sign that it was accepted"))
    .requiredOption("--key <file|env:NAME>", "private key of the verifier, PEM")
    .option("--out <file>", "the endorsement (default: beside the bundle)")
    .action(async (bundle: string, flags: EndorseFlags) => {
      const { endorseCommand } = await import("./commands/endorse.ts");
      exitWith(await endorseCommand(bundle, flags));
    });
}

function addVerifyFlags(command: Command): Command {
  return command
    .argument("<bundle>", "file that assay certify wrote")
    .addOption(new Option("--trust <file>", "public key of a signer, PEM, repeatable").argParser(collect).default([], "none"))
    .option("--policy <file>", "what is asked of the certificate, YAML or JSON (default: nothing violated, all in scope judged)")
    .option("--challenge <file>", "challenge that was issued")
    .option("--commitments <dir>", "folder of all commitments that were handed over before runs")
    .option("--rejudge", "judge the evidence again and compare every byte", false)
    .addOption(
      new Option("--spot <k>", "send so many of its requests, drawn now, to --base-url again and compare").argParser(parseSpot),
    )
    .option("--base-url <url>", "live target of --spot; the key comes from ASSAY_API_KEY")
    .option("--statement <path>", "write PATH.md, PATH.html, PATH.svg (badge) and PATH.earl.jsonld of an authentic bundle");
}

function parseSpot(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 1000) throw new InvalidArgumentError("expected an integer from 1 to 1000");
  return count;
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (!(hours > 0 && hours <= 8760)) throw new InvalidArgumentError("expected hours, more than 0 and at most 8760");
  return hours;
}
