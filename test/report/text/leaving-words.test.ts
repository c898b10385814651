import { expect, it } from "vitest";
import type { LaterRequests } from "../../../src/core/result/leaving-count.ts";
import { leavingWords } from "../../../src/report/text/request-words.ts";
import { makeLoadResult, makeProfile } from "../../make/results/make-load-result.ts";

it("compares no waits where nobody met an answer that had been left", () => {
  const template = makeLoadResult(makeProfile(20, 20, []), []);
  const later = (met: number): LaterRequests => ({ requests: 48, met, refused: 0, ttftP50: 12 });
  const words = (many: number): string =>
    leavingWords({
      ...template,
      leaving: {
        clients: 19,
        left: 19,
        beforeHead: 0,
        events: 76,
        few: later(0),
        many: later(many),
        streaming: null,
        keepsSlots: false,
      },
    });
  expect(words(0)).toContain("no request was sent while an answer that had been left would have gone on");
  expect(words(2)).toContain("requests that met 0, first token p50 12 ms, that met 2, first token p50 12 ms");
});
