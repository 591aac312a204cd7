/** The environment a child process starts with: this process's own, with what is added or changed. */
export function childEnv(
  ...additions: readonly Readonly<Record<string, string>>[]
): Record<string, string | undefined> {
  return Object.assign({}, process.env, ...additions);
}
