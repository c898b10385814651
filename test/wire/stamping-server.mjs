// A server in a process of its own: every event carries the instant just before it was written, in nanoseconds of the
// machine's monotonic clock, and the instant just after the event before it was written: each arrival lies between the two.
// Streams emit either spread out or all at the same instants.
import { createServer } from "node:net";

const streams = [];
const server = createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => {});
  socket.on("data", (request) => {
    const aligned = request.includes("/aligned");
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
    streams.push({ socket, left: 41, written: 0n, due: performance.now() + 20 + (aligned ? 0 : Math.random() * 25), aligned });
  });
});
setInterval(() => {
  const now = performance.now();
  for (const stream of streams) {
    if (stream.left < 0 || stream.due > now) continue;
    stream.due += 25;
    stream.left -= 1;
    if (stream.left < 0) {
      stream.socket.write("0\r\n\r\n");
      continue;
    }
    const event = `data: ${process.hrtime.bigint()} ${stream.written}\n\n`;
    stream.socket.write(`${event.length.toString(16)}\r\n${event}\r\n`);
    stream.written = process.hrtime.bigint();
  }
}, 1);
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
