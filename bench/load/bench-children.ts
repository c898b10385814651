import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { compileBench } from "./compile-bench.ts";

/** The processes of a bench, of compiled sources; those are removed when it ends. */
export interface BenchChildren {
  /** A server of `server.ts` with these parameters, which ends with `use`. */
  withServer<Value>(parameters: readonly number[], use: (url: string) => Promise<Value>): Promise<Value>;
  /** The figures that a file of this folder reports as its only message. Throws where it ends without them. */
  figuresOf<Figures>(name: string, parameters?: readonly string[]): Promise<Figures>;
}

/** Without the flags of this process: a loader among them would touch the code that is measured. */
const plain = { execArgv: [] };

export function benchChildren(): BenchChildren {
  const compiled = compileBench();
  process.once("exit", () => compiled.remove());
  const start = (name: string, parameters: readonly string[]): ChildProcess =>
    fork(new URL(`${name}.js`, compiled.folder), parameters, plain);
  return {
    async withServer(parameters, use) {
      const server = start("server", parameters.map(String));
      try {
        const [port] = (await once(server, "message")) as [number];
        return await use(`http://127.0.0.1:${port}`);
      } finally {
        server.kill();
      }
    },
    async figuresOf<Figures>(name: string, parameters: readonly string[] = []): Promise<Figures> {
      const child = start(name, parameters);
      const ended = once(child, "exit");
      const [figures] = (await Promise.race([once(child, "message"), failed(ended, `${name} ${parameters.join(" ")}`)])) as [
        Figures,
      ];
      await ended;
      return figures;
    },
  };
}

/** A child that ends without figures is reported, not waited for. */
async function failed(ended: Promise<unknown[]>, what: string): Promise<never> {
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`${what} ended with exit code ${code ?? "none"}`);
  return new Promise(() => {});
}
