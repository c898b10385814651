import { spawn, spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { serveDecisions, type PeerLimits, type RunningPeer } from "./peer-service.ts";

/** The program from `NGINX` or the path; null when there is none. */
export function findNginx(): { readonly program: string; readonly version: string } | null {
  for (const program of [process.env["NGINX"], "nginx", "/usr/sbin/nginx"]) {
    if (program === undefined) continue;
    const { status, stderr } = spawnSync(program, ["-v"], { encoding: "utf8" });
    if (status === 0) return { program, version: stderr.trim().replace("nginx version: ", "") };
  }
  return null;
}

/**
 * nginx with `limit_req`, two workers over one zone, on a socket of its own. nginx states no numbers: what remains is computed
 * beside it from its documented arithmetic, while every decision is its own.
 */
export async function serveNginx(
  program: string,
  { limit, windowMs }: PeerLimits,
  mode: "nodelay" | "delay",
): Promise<RunningPeer> {
  const folder = await mkdtemp(join(tmpdir(), "assay-nginx-"));
  // Started by root, its workers are somebody else.
  await chmod(folder, 0o755);
  const socket = join(folder, "nginx.sock");
  const perMinute = Math.round((limit * 60_000) / windowMs);
  await writeFile(join(folder, "ok.json"), "{}");
  await writeFile(
    join(folder, "nginx.conf"),
    `daemon off; worker_processes 2; pid ${folder}/pid; error_log ${folder}/error.log;
events { }
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  limit_req_zone $http_x_group zone=groups:1m rate=${perMinute}r/m;
  server {
    listen unix:${socket};
    root ${folder};
    location / { limit_req zone=groups burst=${limit - 1}${mode === "nodelay" ? " nodelay" : ""}; limit_req_status 429; try_files /ok.json =404; }
  }
}
`,
  );
  const child = spawn(program, ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")], {
    stdio: "ignore",
  });
  const agent = new Agent({ keepAlive: true });
  const ask = (group: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const asked = request({ socketPath: socket, path: "/", agent, headers: { "x-group": group } }, (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
      });
      asked.on("error", reject);
      asked.end();
    });
  for (let tries = 0; (await ask("start").catch(() => 0)) !== 200; tries += 1) {
    if (tries > 100 || child.exitCode !== null) {
      child.kill("SIGTERM");
      throw new Error("nginx did not start");
    }
    await delay(50);
  }
  const levels = new Map<string, { level: number; atMs: number }>();
  const perMs = limit / windowMs;
  const peer = await serveDecisions(async (group) => {
    const now = Date.now();
    const bucket = levels.get(group) ?? { level: limit, atMs: now };
    levels.set(group, bucket);
    bucket.level = Math.min(limit, bucket.level + (now - bucket.atMs) * perMs);
    bucket.atMs = now;
    if (bucket.level >= 1) bucket.level -= 1;
    const { level } = bucket;
    const admitted = (await ask(group)) === 200;
    // Clocks of two processes: a level just below the next number may be that number.
    const remaining = admitted ? Math.max(0, Math.floor(level + 0.005)) : 0;
    return { admitted, limit, remaining, resetMs: now + (limit - level) / perMs, retryMs: (1 - Math.min(1, level)) / perMs + 50 };
  });
  return {
    url: peer.url,
    async close() {
      await peer.close();
      agent.destroy();
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
