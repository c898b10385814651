import type { FastifyInstance } from "fastify";
import type { Service } from "../http/service.ts";
import type { Fault, FaultMatch } from "./fault-rules.ts";

interface FaultDraft {
  readonly id?: string;
  readonly match?: FaultMatch;
  readonly fault?: Fault;
  readonly times?: number | null;
}

/** GET, POST and DELETE /faults, DELETE /faults/{id}. POST takes `{ match, fault, times?, id? }` (see `FaultRule`). */
export function faultRoutes(app: FastifyInstance, service: Service, onChange: () => void): void {
  const { faults } = service;
  app.get("/faults", () => ({ faults: faults.rules() }));
  app.post<{ Body: FaultDraft | null }>("/faults", ({ body }) => {
    if (typeof body?.fault !== "object" || body.fault === null) throw new Error("A rule needs a fault.");
    const id = body.id ?? service.nextId("fault_");
    faults.remove(id);
    faults.add({ id, match: body.match ?? {}, fault: body.fault, times: body.times ?? null });
    onChange();
    return { id };
  });
  app.delete("/faults", () => {
    faults.clear();
    onChange();
    return { status: "cleared" };
  });
  app.delete<{ Params: { readonly id: string } }>("/faults/:id", ({ params }) => {
    if (!faults.remove(params.id)) throw new Error(`There is no fault ${params.id}.`);
    onChange();
    return { status: "removed" };
  });
}
