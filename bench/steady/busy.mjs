// A loop that takes all of a processor that it gets, until its standard input closes or ten minutes are over.
process.stdin.on("end", () => process.exit()).resume();
setTimeout(() => process.exit(), 600_000).unref();
const spin = () => {
  for (const until = performance.now() + 50; performance.now() < until;);
  setImmediate(spin);
};
spin();
