/** express ships no types; this is what the peers use of it. */
declare module "express" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export type Request = IncomingMessage;
  export type Response = ServerResponse;
  export type NextFunction = (error?: unknown) => void;
  export type RequestHandler = (request: Request, response: Response, next: NextFunction) => unknown;

  interface Application {
    (request: IncomingMessage, response: ServerResponse): void;
    use(handler: RequestHandler): void;
    get(path: string, handler: RequestHandler): void;
  }

  export default function express(): Application;
}
