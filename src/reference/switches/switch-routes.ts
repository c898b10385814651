import type { FastifyInstance } from "fastify";
import { allSwitches } from "./all-switches.ts";
import type { Switch } from "./switch.ts";
import { findSwitch, type LiveSwitchboard } from "./switchboard.ts";

/** GET /variants and /mutants list them with `on`; PUT with `{ "ids": [...] }` replaces the active ones of that kind. */
export function switchRoutes(app: FastifyInstance, switchboard: LiveSwitchboard, onChange: () => void): void {
  for (const [path, kind] of [
    ["/variants", "variant"],
    ["/mutants", "mutant"],
  ] as const satisfies readonly (readonly [string, Switch["kind"]])[]) {
    const listed = allSwitches.filter((entry) => entry.kind === kind);
    app.get(path, () => ({ switches: listed.map((entry) => ({ ...entry, on: switchboard.on(entry.id) })) }));
    app.put<{ Body: { readonly ids?: readonly string[] } | null }>(path, ({ body }) => {
      if (!Array.isArray(body?.ids)) throw new Error("Give ids, an array.");
      const wrong = body.ids.find((id) => findSwitch(String(id)).kind !== kind);
      if (wrong !== undefined) throw new Error(`"${wrong}" is no ${kind}.`);
      const others = switchboard.active().filter((id) => findSwitch(id).kind !== kind);
      switchboard.set([...others, ...body.ids.map(String)]);
      onChange();
      return { ids: body.ids };
    });
  }
}
