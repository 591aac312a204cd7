/** Which layers of a service can say anything. */
export interface CheckedLayers {
  readonly liveness: boolean;
  readonly readiness: boolean;
  readonly device: boolean;
  readonly tunnel: boolean;
  readonly public: boolean;
  readonly application: boolean;
}

/** What is allowed in a service and yet hardly meant, as sentences for its owner. */
export function listWarnings(layers: CheckedLayers): string[] {
  const seesLink = layers.device || layers.tunnel || layers.public || layers.application;
  const seesAgent = layers.liveness || layers.readiness;
  if (seesLink || !seesAgent) return [];
  return [
    'Only the agent itself is probed: its gate opens again while the tunnel is still down. Add a public or application probe, or a localtonet section with an API key.',
  ];
}
