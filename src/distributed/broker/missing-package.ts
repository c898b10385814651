/** A package that only distributed load needs is not installed. */
export class MissingPackage extends Error {
  override name = "MissingPackage";

  constructor(name: string, cause: unknown) {
    super(`agents need the package ${name}, which is not installed: npm install ioredis@6 bullmq@6`, { cause });
  }
}
