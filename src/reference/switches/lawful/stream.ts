import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

const framing = "The standard of server-sent events allows it (WHATWG HTML, section 9.2).";

export const streamVariants: readonly Variant[] = [
  variant("stream/crlf", "Lines end with CR LF", framing, { excludes: ["stream/cr"] }),
  variant("stream/cr", "Lines end with CR", framing),
  variant("stream/byte-order-mark", "The stream begins with a byte order mark", framing),
  variant("stream/comments", "A comment precedes each event", framing),
  variant("stream/ids", "Events carry ids", framing),
  variant("stream/retry", "The first event carries a retry field", framing),
  variant("stream/no-space", "No space follows the colon of a field", framing),
  variant("stream/multi-line", "The data of an event spans several lines", framing),
  variant("stream/named-events", "Events are named chunk", "Names of events are not shown (AMB-28).", {
    changes: ["STRM-006", "XOAI-001", "XOAI-002", "XOAI-003"],
  }),
  variant("stream/charset", "The media type carries charset=utf-8", "Parameters of a media type are allowed."),
  variant("stream/no-done", "The stream ends without [DONE]", "How a stream ends is not shown (AMB-28).", {
    changes: ["STRM-007", "XOAI-004"],
  }),
  variant("stream/usage-always", "Every stream ends with a usage chunk", "Usage in streams is not shown (AMB-28).", {
    changes: ["STRM-014", "XOAI-003"],
    excludes: ["stream/usage-never"],
  }),
  variant("stream/usage-never", "No stream carries usage", "Usage in streams is not shown (AMB-28).", {
    changes: ["STRM-014"],
  }),
  variant("stream/byte-chunks", "Every byte is an HTTP chunk of its own", "Chunks have no meaning (RFC 9112, section 7.1)."),
  variant("stream/split-characters", "Chunk edges lie inside characters", "Chunks have no meaning (RFC 9112, section 7.1)."),
  variant("stream/role-with-first-token", "The role comes with the first token", "The shape of events is not shown (AMB-28)."),
  variant("stream/usage-with-finish", "Usage comes with the chunk that finishes", "Usage in streams is not shown (AMB-28).", {
    changes: ["STRM-014"],
  }),
  variant(
    "stream/left-answers-made",
    "An answer that its client left is made to its end, and keeps one of four places for half a minute",
    "Nothing says that work ends with its reader; a 503 with Retry-After says when the place is free.",
  ),
  variant("stream/buffered", "The whole answer arrives at once", "Only a SHOULD asks for incremental delivery.", {
    changes: ["STRM-008"],
  }),
  variant("stream/last-event-unterminated", "The last event lacks its blank line", "Only a SHOULD asks for it.", {
    changes: ["STRM-004", "STRM-007", "XOAI-004"],
  }),
];
