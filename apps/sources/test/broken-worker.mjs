// A parse process as it is on an installation that cannot run it: it ends before it has read anything.
process.exit(9);
