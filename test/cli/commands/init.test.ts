import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { initialManifest } from "../../../src/config/initial-manifest.ts";
import { parseManifest } from "../../../src/config/parse-manifest.ts";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { surveyTarget } from "../../../src/features/doctor/diagnose/survey-target.ts";
import { foreseeCost } from "../../../src/run/scope/foresee-cost.ts";
import { foreseeMissing } from "../../../src/run/scope/foresee-missing.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { serveHttp } from "../../make/wire/test-server.ts";
import { emptyFolder, runAssay } from "../run-assay.ts";
import { keep } from "../../make/keep.ts";

const file = "assay.config.yaml";
describe("assay init --base-url", () => {
  it("writes a manifest with the models and limits of the target, and what each missing key would add", async () => {
    const service = keep(await startReferenceService());
    const { target, keys, models } = service.manifest;
    const secret = keys["primary"]!.secret;
    const { exitCode, stderr, folder } = await runAssay(["init", "--base-url", target.baseUrl], {
      env: { ASSAY_API_KEY: secret },
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const text = readFileSync(join(folder, file), "utf8");
    expect(text).not.toContain(secret);
    const { manifest } = parseManifest(text, { file, env: { ASSAY_API_KEY: secret } });
    expect(manifest.target.baseUrl).toBe(target.baseUrl);
    expect(manifest.models.embedding).toBe(models.embedding);
    expect(manifest.models.chat).not.toBeNull();
    expect(manifest.limits.requestsPerMinute).toBeGreaterThan(0);
    expect(manifest.features).toEqual({});
    expect(Object.keys(manifest.keys)).toEqual(["primary"]);

    const missing = await foreseeMissing(manifest);
    const readOnly = missing.find(({ member }) => member === "keys.readOnly")!;
    expect(readOnly.requirements.length).toBeGreaterThan(1);
    expect(text).toContain(
      `  # ${readOnly.requirements.length} requirements: a key that may read and not write\n  # readOnly: \${ASSAY_READ_ONLY_KEY}\n`,
    );
    for (const { member } of missing.filter(({ member: name }) => !name.startsWith("keys.")))
      expect(text).toContain(`# ${member}: `);

    // With the comments of keys taken as lines, it parses as well.
    const uncommented = text.replaceAll(/^ {2}# (\w+: (?:\$|\{ secret).*)$/gm, "  $1");
    const full = parseManifest(uncommented, {
      file,
      env: { ASSAY_API_KEY: secret, ASSAY_READ_ONLY_KEY: "sk-read-only-0123456789" },
    });
    expect(Object.keys(full.manifest.keys)).toEqual(["primary", "readOnly"]);
  });

  it.each([
    ["http://127.0.0.1:1", 3, "connection: "],
    ["ftp://127.0.0.1", 2, "scheme ftp"],
  ])("writes nothing for %s and ends in %i", async (url, code, reason) => {
    const folder = emptyFolder();
    const { exitCode, stderr, stdout } = await runAssay(["init", "--base-url", url], {
      folder,
      env: { ASSAY_API_KEY: "sk-0123456789" },
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
    expect(stderr).toContain(reason);
    expect(existsSync(join(folder, file))).toBe(false);
  });
});

describe("surveyTarget", () => {
  it("takes no model id that refers to a variable or leaves its line, and notes endpoints that are not found", async () => {
    const ids = ["${HOME}", 'x"\n  evil: true', "text-embed-1"];
    const server = await serveHttp((request, response) => {
      response
        .setHeader("content-type", "application/json")
        .setHeader("x-ratelimit-limit-requests", request.headers.authorization === undefined ? "60" : "-5");
      if (request.headers.authorization === undefined) response.writeHead(401).end("{}");
      else if (request.url === "/v1/models") response.end(JSON.stringify({ data: ids.map((id) => ({ id })) }));
      else response.writeHead(request.url === "/v1/usage" ? 200 : 404).end("{}");
    });
    const asked = testManifest(server.url);
    const given = { ...asked, models: { chat: null, embedding: null, transcription: null } };
    const clock = { ...createRealClock(), sleep: async () => {} };
    const { manifest: found } = await surveyTarget(given, { clock });
    expect(found.models).toEqual({ chat: null, embedding: "text-embed-1", transcription: null });
    expect(found.features).toEqual({ workspaces: false, verify: false });
    expect(found.limits.requestsPerMinute).toBeNull();
    // A header beside a refusal need not show the limit of the key.
    const stranger = await surveyTarget({ ...given, keys: {} }, { clock });
    expect(stranger.manifest).toEqual({ ...given, keys: {} });
    expect(stranger.diagnoses.filter(({ status }) => status === "failed")).toEqual([]);
    const worst = foreseeCost(found);
    const { manifest } = parseManifest(
      initialManifest(server.url, { found, missing: await foreseeMissing(found), worst, isKeyed: true }),
      {
        file,
        env: { ASSAY_API_KEY: "secret-1" },
      },
    );
    expect(manifest.features).toEqual(found.features);
    expect(manifest.models).toEqual(found.models);
  });

  it("writes a budget that its own plan fits, and names every choice with its reason", async () => {
    const service = keep(await startReferenceService({ seed: 1 }));
    const env = { ASSAY_API_KEY: service.manifest.keys["primary"]!.secret };
    const folder = emptyFolder();
    const { stdout, exitCode } = await runAssay(["init", "--base-url", service.url], { folder, env });
    expect(exitCode).toBe(0);
    for (const choice of [
      "models.chat: ",
      "models.embedding: ",
      "models.transcription: ",
      "limits.requestsPerMinute: ",
      "budget: ",
    ])
      expect(stdout).toMatch(new RegExp(`^  ${choice.replace(".", "\\.")}.*(?:from|as|plans) `, "m"));
    const plan = await runAssay(["check", "--plan"], { folder, env });
    const [, planned, cost] = /^conformance: .*?(\d+) requests, .*at most ([\d.]+) USD/m.exec(plan.stdout) ?? [];
    expect(Number(cost)).toBeGreaterThan(0);
    const [, requests = "", dollars = ""] = /budget: (\d+) requests, \d+ tokens, (\d+) USD/.exec(stdout) ?? [];
    expect(Number(dollars)).toBeGreaterThanOrEqual(Number(cost));
    expect(Number(requests)).toBeGreaterThanOrEqual(Number(planned));
  });
});
