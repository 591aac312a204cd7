/** Ends the process with one sentence on a Node too old for the packages. Written so that old versions can read it. */
export function requireNode() {
  const parts = process.versions.node.split('.').map(Number);
  if (parts[0] > 20 || (parts[0] === 20 && parts[1] >= 19)) return;
  console.error(
    `tidegate: Node 20.19 or newer is needed, this is ${process.version}; see https://nodejs.org/en/download.`,
  );
  process.exit(1);
}
