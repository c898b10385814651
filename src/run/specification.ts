import type { Result } from "../core/result/result.ts";

/** The revision of the specification that the catalogue was made from. */
export const specification: Result["spec"] = {
  title: "Inference API Service Specification",
  sha256: "e397700b41de973188ef1b39d3f6af24d332a13f108e4c4f49139b4f4cb0e9de",
};
