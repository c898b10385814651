import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

const framing = "The standard of server-sent events allows it (WHATWG HTML, section 9.2).";

export const answerVariants: readonly Variant[] = [
  variant("chat/unknown-finish-reason", "Natural ends are called end_turn", "Other values are not shown (AMB-02).", {
    changes: ["CMPL-016", "CMPL-017", "XOAI-008"],
  }),
  variant(
    "chat/small-context",
    "Conversations of more than 2,500 characters are refused",
    "How long an input may be is not stated.",
  ),
  variant("chat/tool-content-empty", "content is empty beside tool calls", "Messages with tool calls are not shown (AMB-01)."),
  variant("chat/unknown-model-served", "A default model answers for one that does not exist", "Every outcome is open (AMB-06).", {
    changes: ["CHAT-004"],
  }),
  variant("chat/model-other", "The response names a model that is not listed", "Only a SHOULD asks for equality (AMB-42).", {
    changes: ["CMPL-007", "XOAI-005"],
  }),
  variant("chat/types-unchecked", "Members of the wrong type are ignored", "Wrong types are not named as failures (AMB-05).", {
    changes: ["CHAT-013", "CHAT-015", "CHAT-022", "CHAT-025", "CHAT-030", "CHAT-037", "ERR-023"],
  }),
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
  variant("stream/cut-events", "Writes end within events", "Events end with blank lines (WHATWG HTML, section 9.2.6)."),
  variant("stream/tokens-by-three", "Three tokens wait for each other", "How many events leave together is not shown."),
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
  variant(
    "embeddings/batches-half-price",
    "A batch of texts costs half",
    "No price is stated, and discounts for batches are usual.",
  ),
  variant(
    "embeddings/entries-as-text",
    "Numbers and booleans in a batch are taken for their text",
    "Whether wrong types are converted is open (AMB-05), wherever they stand.",
    { changes: ["EMB-006", "ERR-023"] },
  ),
  variant("embeddings/batch-digits", "Vectors of a batch differ from single ones in the last digits", "Sums in another order.", {
    changes: ["EMB-031", "EMB-032"],
  }),
  variant(
    "embeddings/base64-ignored",
    "encoding_format base64 is answered with numbers",
    "The field table shows an array (AMB-30).",
    { changes: ["EMB-014", "EMB-015", "EMB-031"] },
  ),
  variant(
    "embeddings/entries-any-order",
    "The entries of a batch stand in the reverse order",
    "index says which text an entry belongs to; no order of data is stated.",
  ),
  variant("embeddings/base64-doubles", "base64 holds 64-bit floats", "The width of a number is not stated (AMB-30).", {
    changes: ["EMB-014", "EMB-031"],
  }),
  variant("embeddings/base64-big-endian", "base64 holds big-endian floats", "The byte order is not stated (AMB-30).", {
    changes: ["EMB-014", "EMB-031"],
  }),
  variant(
    "images/url-holds-image",
    "Addresses are data: URLs, and all images of a size are alike",
    "The scheme of an address is not stated.",
    {
      excludes: ["images/url-private"],
    },
  ),
  variant("images/url-private", "Addresses answer 403 without credentials", "Who may use an address is open (IMG-027).", {
    changes: ["IMG-012", "IMG-023", "IMG-024"],
  }),
  variant(
    "images/url-moved",
    "Addresses answer 302 with that of the file",
    "RFC 9110, section 15.4: the file has another address for now.",
  ),
  variant("audio/json-accepted", "A JSON body is accepted too", "Only a SHOULD forbids it.", { changes: ["AUD-002"] }),
  variant("audio/corrupt-accepted", "Broken audio is transcribed", "Only a SHOULD asks for a 4xx.", {
    changes: ["AUD-012", "AUD-013", "AUD-020"],
  }),
  variant("audio/any-file-name", "The file may be called anything", "How the format is found is not stated (AMB-33).", {
    changes: ["AUD-012", "AUD-013"],
  }),
  variant(
    "models/alias-resolved",
    "Responses name the dated model behind an alias",
    "The model used may differ from the alias (AMB-42).",
    { changes: ["CMPL-007", "EMB-027", "MOD-009"] },
  ),
  variant("models/chat-unlisted", "The chat model works without being listed", "Only a SHOULD asks for it.", {
    // The model that is served for an unknown name is then not listed either.
    changes: ["MOD-009", "CMPL-007"],
  }),
];
