export type { Exchange } from "./core/exchange.ts";
export type { Result } from "./core/result.ts";
