import { examinePeer } from "../../test/limits/peers/examine-peer.ts";
import { findNginx, serveNginx } from "../../test/limits/peers/nginx-peer.ts";
import { peerRow } from "../../test/limits/peers/peer-row.ts";

/**
 * The short exam in real time against nginx `limit_req`, refusing and delaying, as rows of docs/measurements/limits.md. Not part of
 * `npm test`: nginx is a program of the system; `NGINX` names it where it is not on the path.
 */
const nginx = findNginx();
if (nginx === null) {
  console.error("nginx is not installed (Debian: apt-get install nginx-light), or name it: NGINX=/path/to/nginx");
  process.exitCode = 3;
} else {
  const { program, version } = nginx;
  const limits = { limit: 12, windowMs: 12_000 };
  for (const mode of ["nodelay", "delay"] as const) {
    const id = `${version}, limit_req ${mode === "nodelay" ? "refusing (nodelay)" : "delaying"}`;
    const peer = { id, limits, start: () => serveNginx(program, limits, mode) };
    const { judgement } = await examinePeer(peer);
    console.log(peerRow(id, judgement));
    for (const { check, message } of judgement.findings) console.error(`${id}: ${check} ${message}`);
  }
}
