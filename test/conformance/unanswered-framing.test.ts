import { connect } from "node:net";
import { expect, it } from "vitest";
import { framingRefused } from "../../src/conformance/judges/wellformed/framing-refused.ts";
import { expectsContinue, isChunked } from "../../src/conformance/judging/is-framing-refusal.ts";
import { factsOf } from "../../src/core/exchange/exchange-facts.ts";
import { serveAnswers } from "../make/wire/test-server.ts";
import { type Examined, examineReference } from "./examine-reference.ts";
import { printJudge } from "./judges/print-occurrences.ts";

/** A front that waits for a length where a body comes in chunks, and answers all else in this version, on a connection of its own. */
async function examineBehindFront(version: "1.0" | "1.1", cases: readonly string[]): Promise<Examined> {
  let upstream = new URL("http://127.0.0.1");
  const front = await serveAnswers((socket, text) => {
    // Chunks behind such a head are no request either.
    if (/\r\ntransfer-encoding:/i.test(text) || !/^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(text)) return;
    const behind = connect({ host: upstream.hostname, port: Number(upstream.port) });
    let answer = "";
    behind.on("data", (bytes: Buffer) => (answer += bytes.toString("latin1")));
    behind.on("error", () => socket.destroy());
    behind.on("close", () => socket.end(answer.replace("HTTP/1.1", `HTTP/${version}`), "latin1"));
    const fields = text.replace(/\r\nexpect:[^\r]*/i, "").replace(/\r\nconnection:[^\r]*/i, "");
    behind.write(fields.replace("\r\n", "\r\nconnection: close\r\n"), "latin1");
  });
  return examineReference({
    cases,
    manifest: (manifest) => {
      upstream = new URL(manifest.target.baseUrl);
      return { ...manifest, target: { ...manifest.target, baseUrl: front.url, timeoutMs: 4_000 } };
    },
  });
}

const cases = ["core/body-framing", "core/no-credentials", "chat/rejects-malformed-chat"];

it("a server of HTTP/1.0 that waits for a length is named for it, and accused of nothing", async () => {
  const { findings, exchanges, verdicts } = await examineBehindFront("1.0", cases);
  expect(findings.filter(({ verdict }) => verdict === "fail")).toEqual([]);
  expect([verdicts.get("SVC-021"), verdicts.get("AUTH-002"), verdicts.get("CHAT-040")]).toEqual(["pass", "pass", "pass"]);
  expect(printJudge(framingRefused, exchanges).join()).toMatch(/REQ-006 observed .* HTTP\/1\.0/);
  // Three at most leave before the first of them is given up.
  const sent = exchanges.map(factsOf);
  const chunked = sent.filter(isChunked);
  expect(chunked.length).toBeLessThanOrEqual(3);
  for (const { seq } of chunked) expect(sent.filter((one) => one.retryOf === seq && !isChunked(one))).toHaveLength(1);
  expect(sent.filter(expectsContinue).length).toBeGreaterThan(0);
});

it("a server of HTTP/1.1 that leaves chunks without an answer is accused of that alone", async () => {
  const { findings } = await examineBehindFront("1.1", cases);
  const failed = findings.filter(({ verdict }) => verdict === "fail");
  expect(failed.map(({ requirement, check }) => [requirement, check])).toEqual([["REQ-006", "framing-refused"]]);
});
