// A loop that takes all of a processor that it gets, until its standard input closes or three hours are over.
process.stdin.on("end", () => process.exit()).resume();
setTimeout(() => process.exit(), 10_800_000).unref();
const spin = () => {
  for (const until = performance.now() + 50; performance.now() < until;);
  setImmediate(spin);
};
spin();
