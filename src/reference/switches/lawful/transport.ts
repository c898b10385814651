import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

export const transportVariants: readonly Variant[] = [
  variant("transport/extra-members", "Every object carries members that nobody knows", "Open schemas permit them (SVC-016)."),
  variant("transport/chunked-bodies", "Bodies come in chunks, without a length", "RFC 9112, section 6.1, allows it."),
  variant("transport/gzip", "Bodies are packed for clients that accept it", "RFC 9110, section 8.4.1, allows it."),
  variant("transport/length-required", "Bodies in chunks are refused with 411", "RFC 9110, section 15.5.12, allows it.", {
    changes: ["REQ-006"],
  }),
  variant(
    "transport/paths-as-written",
    "Percent-encoded paths are not known",
    "No notation of a path beside its own is stated.",
    {
      changes: ["REQ-008"],
    },
  ),
  variant("transport/paths-normalized", "Slashes and dots of paths are normalized", "RFC 3986, section 6.2.2.3, allows it.", {
    changes: ["REQ-008"],
  }),
  variant(
    "transport/expectation-ignored",
    "Clients that expect 100 Continue are not asked for the body",
    "A client does not wait for long: RFC 9110, section 10.1.1, has it send the body without having been asked.",
  ),
  variant(
    "transport/expectation-failed",
    "Requests that expect 100 Continue are refused with 417",
    "RFC 9110, section 10.1.1, has clients repeat such a request without the expectation.",
    { changes: ["REQ-007"] },
  ),
  variant("transport/latency-jitter", "Every response takes up to 200 ms longer", "Latency is not specified."),
  variant("transport/close-per-response", "Every response closes its connection", "RFC 9112, section 9.6, allows it."),
  variant("transport/few-requests-per-connection", "A connection serves 20 requests", "RFC 9112, section 9.6, allows it."),
  variant("transport/short-keep-alive", "Idle connections are closed after a second", "RFC 9112, section 9.5, allows it."),
  variant(
    "transport/json-duplicate-member",
    "JSON objects repeat a member name",
    "RFC 8259, section 4, only advises against it.",
    { changes: ["SVC-019"] },
  ),
];
