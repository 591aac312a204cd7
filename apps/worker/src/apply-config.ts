import { publicTunnelId } from '@tidegate/core';
import { type Config, readSecretFile } from '@tidegate/runtime';
import { applyServices, applySigningSecrets, type SealedSecret, type ServiceConfig } from '@tidegate/store';
import { fingerprintVersions, lookupHash, newAlias, newSigningSecret } from '@tidegate/vault';
import type { WorkerContext } from './worker-context.ts';

/** Makes the services in Postgres those of the config, and gives each a signing secret for its callbacks. */
export async function applyConfig(
  context: Pick<WorkerContext, 'sql' | 'config' | 'keyring' | 'sealer' | 'log'>,
  dataDir: string,
): Promise<void> {
  await context.sealer.ready();
  await applyServices(
    context.sql,
    context.config.services.map((service) => toRow(context, service)),
  );
  const secrets = new Map<string, string>();
  for (const { name, signingSecret } of context.config.services) {
    const secret = signingSecret ?? (await readSecretFile(dataDir, `signing-secret-${name}`));
    if (secret !== null) secrets.set(name, secret);
  }
  const seal = (secret: string, id: number): SealedSecret => ({
    sealed: context.sealer.seal(secret, { row: `service-${id}`, purpose: 'signing-secret' }),
    hash: lookupHash(context.keyring, 'signing-secret', secret),
  });
  const outdated = await applySigningSecrets(context.sql, {
    given: (name, id) => {
      const secret = secrets.get(name);
      return secret === undefined ? null : seal(secret, id);
    },
    made: (id) => seal(newSigningSecret(), id),
  });
  for (const service of outdated) context.log.warn('signing_secret.outdated', { service });
}

function toRow(
  { config, keyring, sealer }: Pick<WorkerContext, 'config' | 'keyring' | 'sealer'>,
  service: Config['services'][number],
): ServiceConfig {
  const policy = config.policies[service.policy];
  if (policy === undefined) throw new Error('a loaded config names only policies it holds');
  const { group } = service;
  return {
    name: service.name,
    source: service.source,
    group,
    deviceRef: service.device,
    tunnelRef: service.tunnel,
    tunnel: service.tunnel === null ? null : identifyTunnel(service.tunnel),
    policyName: service.policy,
    openAfterMs: policy.openAfterMs,
    maxWaitMs: policy.maxWaitMs,
    verifyEveryMs: policy.verify.everyMs,
    // Keyed: it covers credentials, and a plain hash of a guessable one could be guessed from a dump.
    probeHash: lookupHash(
      keyring,
      'payload',
      JSON.stringify([service.device, service.tunnel, service.probes, service.essential, policy.verify]),
    ).toString('hex'),
  };

  function identifyTunnel(id: string): ServiceConfig['tunnel'] {
    const alias = newAlias('tun');
    const publicId = publicTunnelId('tunnel', id);
    const sealedId = publicId === null ? sealer.seal(id, { row: alias, purpose: 'subject-id' }) : null;
    return {
      group,
      type: 'tunnel',
      ...fingerprintVersions(keyring, { group, type: 'tunnel', id }),
      alias,
      publicId,
      sealedId,
    };
  }
}
