import { brokenPeers } from "../../test/limits/peers/broken-peers.ts";
import { examinePeer } from "../../test/limits/peers/examine-peer.ts";
import { lawfulPeers } from "../../test/limits/peers/lawful-peers.ts";
import { peerRow } from "../../test/limits/peers/peer-row.ts";

/**
 * The short exam in real time against limiters that others wrote, and against some of them with one mistake: the tables of
 * docs/measurements/limits.md. All are examined side by side; `test/limits/peers/peers.test.ts` holds them to what is printed here.
 */
const head = "| limiter | algorithms that explain it | tier | reported | not decided |\n|---|---|---|---|---|";
const rowsOf = (peers: readonly Parameters<typeof examinePeer>[0][]): Promise<readonly string[]> =>
  Promise.all(peers.map(async (peer) => peerRow("id" in peer ? String(peer.id) : "", (await examinePeer(peer)).judgement)));
const [lawful, broken] = await Promise.all([rowsOf(lawfulPeers), rowsOf(brokenPeers)]);
console.log([head, ...lawful, "", head, ...broken].join("\n"));
