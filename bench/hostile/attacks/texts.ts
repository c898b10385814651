import { canaryEncodings } from "../../../test/make/hostile/encode-canary.ts";
import { hostileStrings } from "../../../test/make/hostile/hostile-strings.ts";
import { places } from "./places.ts";
import { type Attack, body, events, json, withFields } from "../attack.ts";

/** A path that nothing but a redirect leads to; who asks for it has followed one. */
export const stolenPath = "/stolen";

function keyOf(head: string): string {
  return /authorization: *(?:bearer *)?(\S+)/i.exec(head)?.[1] ?? "none";
}

/** These texts wherever an answer has one. */
function everywhere(said: readonly string[]): string {
  return JSON.stringify({
    id: said[0],
    object: "list",
    model: said[0],
    data: said.map((id) => ({ id, object: id, owned_by: id, url: id, revised_prompt: id, embedding: id })),
    choices: said.map((content, index) => ({ index, message: { role: content, content }, finish_reason: content })),
    error: { code: said[0], type: said[0], message: said.join("\n"), details: said.map((field) => ({ field, expected: field })) },
    text: said.join(" "),
    cap_type: said[0],
  });
}

function inEvents(said: readonly string[]): string {
  const line = (text: string): string => text.replaceAll(/[\r\n\0]/g, " ");
  return said
    .map(
      (text) =>
        `event: ${line(text)}\nid: ${line(text)}\ndata: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`,
    )
    .join("");
}

/** In headers no line may end, and what is beyond Latin-1 does not travel. */
function inHeader(text: string): string {
  return Buffer.from(text.replaceAll(/[\r\n\0]/g, " "), "latin1").toString("latin1");
}

function saying(make: (head: string) => readonly string[]): Attack["answer"] {
  let turn = 0;
  return (socket, request) => {
    const said = make(request.head);
    turn += 1;
    const one = inHeader(said[turn % said.length] ?? "");
    if (turn % 3 === 0) {
      socket.write(events.replace("\r\n\r\n", `\r\nx-echo: ${one}\r\n\r\n`), "latin1");
      socket.end(inEvents(said));
      return;
    }
    const status = turn % 3 === 1 ? "200 OK" : "400 Bad Request";
    const text = everywhere(said);
    socket.write(
      `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\nx-request-id: ${one}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`,
      "latin1",
    );
    socket.end(text);
  };
}

/** Each place with each encoding, in turn. */
function sayingEverywhere(): Attack["answer"] {
  const encodings = Object.values(canaryEncodings);
  const makers = Object.values(places);
  let turn = 0;
  return (socket, { head }) => {
    // Every encoding comes to every place: in each round it is at the one after.
    const place = (turn + Math.floor(turn / encodings.length) * (1 - encodings.length)) % makers.length;
    const text = encodings[turn % encodings.length]!(keyOf(head));
    turn += 1;
    socket.end(makers.at(place)!(text));
  };
}

export const textAttacks: readonly Attack[] = [
  {
    echoes: true,
    id: "the key in every encoding",
    answer: saying((head) => Object.values(canaryEncodings).map((encode) => encode(keyOf(head)))),
  },
  { echoes: true, id: "the key in every encoding at every place", answer: sayingEverywhere() },
  {
    echoes: true,
    id: "the key in a reason",
    answer: (socket, { head }) => socket.end(`HTTP/1.1 200 ${keyOf(head)}\r\ncontent-length: 0\r\n\r\n`),
  },
  {
    echoes: true,
    id: "the key in bytes that are no text",
    answer: (socket, { head }) =>
      body(Buffer.concat([Buffer.alloc(64, 0xff), Buffer.from(keyOf(head))]))(socket, { head, path: "" }),
  },
  {
    echoes: true,
    id: "the head of a request given back",
    answer: (socket, { head }) => socket.end(`${json}\r\n${JSON.stringify({ error: head })}`),
  },
  { id: "terminal, page, sheet and log in texts", answer: saying(() => hostileStrings) },
  { id: "redirects to itself", answer: withFields({ location: "/v1/models" }, "307 Temporary Redirect") },
  {
    id: "redirects elsewhere",
    answer: (socket, request) =>
      withFields({ location: stolenPath, refresh: `0; url=${stolenPath}` }, "308 Permanent Redirect")(socket, request),
  },
  { id: "cookies without end", answer: withFields({ "set-cookie": `a=${"b".repeat(4000)}` }) },
];
