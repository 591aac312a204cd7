import { randomUUID } from 'node:crypto';
import {
  describeEvent,
  type JoinReason,
  LAYERS,
  type LayerOutcome,
  type LayerReason,
  type SafeName,
  type TimelineEvent,
} from '@tidegate/core';
import { createSilence, type Sql } from '@tidegate/store';
import { plantServices, plantSubject } from '../../apps/api/test/start-test-api.ts';
import { hand } from './plant-callbacks.ts';

/** An outage as the worker leaves it in the middle of the night, with the ids of what a page can be opened of. */
export interface PlantedPages {
  /** Open: the device is offline. */
  readonly incident: string;
  readonly acknowledged: string;
  readonly resolved: string;
  readonly service: string;
  /** Needs review. */
  readonly callback: string;
}

const MINUTE_MS = 60_000;
const SERVICE = 'research-agent';
const OTHER = 'mail-agent';
const CALM = 'billing-agent';

/** Fills a fresh database with everything the pages can show. */
export async function plantPages(sql: Sql): Promise<PlantedPages> {
  await plantServices(sql, [SERVICE, OTHER, CALM], [SERVICE, OTHER, CALM]);
  await sql`update service set created_at = now() - interval '20 days'`;
  const device = await plantSubject(sql, 'dev_macminiaaaaaaaa', 'mac-mini');
  const tunnel = await plantSubject(sql, 'tun_researchaaaaaaa', 'research-agent');
  const far = await plantSubject(sql, 'dev_officeaaaaaaaaa', 'office-nuc');
  await link(sql, [device, tunnel], SERVICE);
  await link(sql, [far], OTHER);
  await plantWorld(sql);
  for (const ago of [2000, 900, 400, 120, 60]) await observe(sql, device, ago, 'connected');
  for (const ago of [910, 405, 125, 23]) await observe(sql, device, ago, 'disconnected');
  await observe(sql, tunnel, 600, 'connected');
  await observe(sql, tunnel, 22.9, 'disconnected');
  const acknowledged = await plantAcknowledged(sql, far);
  const resolved = await plantResolved(sql, device);
  const incident = await plantOpen(sql, device, tunnel);
  return { incident, acknowledged, resolved, service: SERVICE, callback: await plantCallbacks(sql) };
}

/** As many open incidents as asked for, each about a device and a service of its own. */
export async function plantManyIncidents(sql: Sql, count: number): Promise<void> {
  await sql`
    with s as (
      insert into subject (alias, type, group_name, fingerprint_version, fingerprint, name)
      select 'dev_many' || n, 'device', 'g', 1, decode(md5(n::text), 'hex'), 'machine-' || n from generate_series(1, ${count}) n returning id, alias, name
    ), i as (
      insert into incident (id, kind, state, group_id, opened_at, summary, first_broken)
      select 'inc_' || replace(alias, '_', ''), 'device', 'open', id, now() - make_interval(secs => id), 'Device ' || name || ' is disconnected; held: agent of it.', 'device'
      from s returning id, opened_at)
    insert into timeline_entry (incident_id, at, event, why) select id, opened_at, 'incident.opened', 'Opened as a device outage.' from i`;
}

/** One outage of as many devices, each with a service, a sentence on the timeline and a failed verification. */
export async function plantMassIncident(sql: Sql, devices: number): Promise<string> {
  const names = Array.from({ length: devices }, (_, n) => `fleet-agent-${n}`);
  await plantServices(sql, names);
  await sql`update service set created_at = now() - interval '20 days'`;
  const id = 'inc_massplanted';
  await sql`insert into incident (id, kind, state, mass_group, opened_at, summary) values (${id}, 'mass', 'acknowledged', 'g', now() - interval '1 hour', 'planted')`;
  await sql`insert into incident_service (incident_id, service_id) select ${id}, id from service where name like 'fleet-agent-%'`;
  await sql`
    with s as (
      insert into subject (alias, type, group_name, fingerprint_version, fingerprint)
      select 'dev_fleet' || n, 'device', 'g', 1, decode(md5('fleet' || n), 'hex') from generate_series(1, ${devices}) n returning id)
    insert into incident_subject (incident_id, subject_id, why, joined_at)
    select ${id}, id, 'mass_outage', now() from s`;
  await sql`
    insert into timeline_entry (incident_id, at, event, why)
    select ${id}, now(), 'verification.failed', 'Verification of fleet-agent-' || n || ' failed at the device layer: the device is offline.'
    from generate_series(1, ${devices}) n`;
  for (const name of names.slice(0, 60)) await verify(sql, name, 5);
  return id;
}

async function plantWorld(sql: Sql): Promise<void> {
  const [source] = await sql<{ id: number }[]>`
    insert into source (name, group_name, time_zone, watch, last_seen_at) values ('home-lab', 'g', 'UTC', 'linked', now() - interval '3 minutes') returning id`;
  await sql`insert into source (name, group_name, time_zone, watch) values ('office', 'office', 'UTC', 'all')`;
  await sql`insert into source_counter (source_id, outcome, count) values (${source?.id ?? 0}, 'recorded', 1204), (${source?.id ?? 0}, 'malformed', 2)`;
  await sql`insert into receiver (id, started_at, heartbeat_at) values ('rcv_planted', now() - interval '2 days', now() + interval '1 hour')`;
  await sql`insert into poll (due_at, answered_at, failures) values (now() + interval '1 minute', now() - interval '40 seconds', 0)`;
  // Nothing else is to look overdue.
  await sql`update gate set verify_due_at = now() + interval '5 minutes'`;
}

async function link(sql: Sql, subjects: number[], service: string): Promise<void> {
  for (const id of subjects) {
    await sql`insert into dependency (subject_id, service_id, origin) select ${id}, id, 'config' from service where name = ${service}`;
  }
}

async function observe(
  sql: Sql,
  subject: number,
  minutesAgo: number,
  status: 'connected' | 'disconnected',
): Promise<void> {
  await sql`
    insert into observation (month, key, subject_id, source_id, status, trusted, first_received_at)
    select '-infinity', ${randomUUID()}, ${subject}, 1, ${status}, true, now() - make_interval(secs => ${minutesAgo * 60})`;
  await sql`
    insert into connectivity (subject_id, disconnected, moved_at) values (${subject}, ${status === 'disconnected'}, now())
    on conflict (subject_id) do update set disconnected = excluded.disconnected, moved_at = excluded.moved_at`;
}

const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS);

interface PlantedIncident {
  readonly group: number;
  readonly openedAgo: number;
  readonly state: 'open' | 'acknowledged' | 'resolved';
  readonly summary: string;
  readonly services: readonly string[];
  readonly subjects: readonly (readonly [id: number, why: JoinReason])[];
  readonly events: readonly (readonly [ago: number, event: TimelineEvent])[];
}

async function plantIncident(sql: Sql, plan: PlantedIncident): Promise<string> {
  const id = `inc_${randomUUID().replaceAll('-', '')}`;
  const resolved = plan.state === 'resolved';
  await sql`
    insert into incident (id, kind, state, group_id, opened_at, resolved_at, resolved_by, summary, first_broken)
    values (${id}, 'device', ${plan.state}, ${plan.group}, ${ago(plan.openedAgo)}, ${resolved ? ago(plan.openedAgo - 9) : null},
            ${resolved ? 'ver_planted' : null}, ${plan.summary}, 'device')`;
  for (const service of plan.services) {
    await sql`insert into incident_service (incident_id, service_id) select ${id}, id from service where name = ${service}`;
  }
  for (const [subject, why] of plan.subjects) {
    await sql`insert into incident_subject (incident_id, subject_id, why, joined_at) values (${id}, ${subject}, ${why}, ${ago(plan.openedAgo)})`;
  }
  for (const [at, event] of plan.events) {
    await sql`insert into timeline_entry (incident_id, at, event, why) values (${id}, ${ago(at)}, ${event.event}, ${describeEvent(event)})`;
  }
  return id;
}

async function plantOpen(sql: Sql, device: number, tunnel: number): Promise<string> {
  const group = { alias: 'dev_macminiaaaaaaaa', type: 'device', name: 'mac-mini' as SafeName } as const;
  const id = await plantIncident(sql, {
    group: device,
    openedAgo: 22,
    state: 'open',
    summary: `Device mac-mini is disconnected, 1 of its tunnels with it; held: ${SERVICE}.`,
    services: [SERVICE],
    subjects: [
      [device, 'device_down'],
      [tunnel, 'tunnel_of_down_device'],
    ],
    events: [
      [23, { event: 'gate.held', service: SERVICE, reason: 'disconnected' }],
      [22, { event: 'incident.opened', kind: 'device', group }],
      [
        22,
        {
          event: 'incident.joined',
          subject: { alias: 'tun_researchaaaaaaa', type: 'tunnel', name: 'research-agent' as SafeName },
          why: 'tunnel_of_down_device',
        },
      ],
      [21, { event: 'verification.failed', service: SERVICE, verdict: 'device_offline', firstBroken: 'device' }],
      [12, { event: 'verification.failed', service: SERVICE, verdict: 'device_offline', firstBroken: 'device' }],
    ],
  });
  await sql`update gate set state = 'verifying', reason = 'disconnected', since = ${ago(23)}, generation = generation + 1, verify_due_at = now() + interval '20 seconds'
            where service_id = (select id from service where name = ${SERVICE})`;
  for (const at of [21, 18, 15, 12, 6, 2]) await verify(sql, SERVICE, at);
  return id;
}

const RESULTS: readonly (readonly [LayerOutcome, LayerReason, number | null, string])[] = [
  ['pass', 'ok', 4, 'Answered with 200.'],
  ['pass', 'ok', 9, 'Answered with 200.'],
  ['fail', 'client_offline', 212, 'Localtonet says that the client is offline.'],
  ['fail', 'tunnel_not_connected', 230, 'Localtonet says that the tunnel runs, but is not connected.'],
  ['fail', 'edge_error', 1480, 'The edge of Localtonet answered 502.'],
  ['unknown', 'control_failed', 1510, 'The control probe failed as well, so this failure does not count.'],
];

async function verify(sql: Sql, service: string, minutesAgo: number): Promise<void> {
  const id = `ver_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
  await sql`
    insert into verification (id, service_id, generation, started_at, finished_at, verdict, first_broken, runbook, passed, passes, overtaken)
    select ${id}, id, 2, ${ago(minutesAgo)}, ${ago(minutesAgo - 0.1)}, 'device_offline', 'device',
      'Check that the device has power and internet, then restart its Localtonet client.', false, 0, false from service where name = ${service}`;
  for (const [at, layer] of LAYERS.entries()) {
    const [outcome, reason, latencyMs, detail] = RESULTS[at] ?? ['skipped', 'not_configured', null, 'Not configured.'];
    await sql`insert into verification_layer (verification_id, layer, outcome, reason, latency_ms, detail)
              values (${id}, ${layer}, ${outcome}, ${reason}, ${latencyMs}, ${detail})`;
  }
}

async function plantAcknowledged(sql: Sql, device: number): Promise<string> {
  const group = { alias: 'dev_officeaaaaaaaaa', type: 'device', name: 'office-nuc' as SafeName } as const;
  return plantIncident(sql, {
    group: device,
    openedAgo: 190,
    state: 'acknowledged',
    summary: `Device office-nuc is disconnected; held: ${OTHER}.`,
    services: [OTHER],
    subjects: [[device, 'device_down']],
    events: [
      [190, { event: 'incident.opened', kind: 'device', group }],
      [180, { event: 'incident.acknowledged', by: 'Mira' as SafeName }],
      [
        170,
        {
          event: 'incident.noted',
          by: 'Mira' as SafeName,
          note: 'Power is out at the office until eight.' as SafeName,
        },
      ],
    ],
  });
}

async function plantResolved(sql: Sql, device: number): Promise<string> {
  const group = { alias: 'dev_macminiaaaaaaaa', type: 'device', name: 'mac-mini' as SafeName } as const;
  return plantIncident(sql, {
    group: device,
    openedAgo: 910,
    state: 'resolved',
    summary: `Device mac-mini was disconnected; held meanwhile: ${SERVICE}.`,
    services: [SERVICE],
    subjects: [[device, 'device_down']],
    events: [
      [911, { event: 'gate.held', service: SERVICE, reason: 'disconnected' }],
      [910, { event: 'incident.opened', kind: 'device', group }],
      [902, { event: 'gate.opened', service: SERVICE }],
      [901, { event: 'incident.resolved', webhookMissing: false }],
    ],
  });
}

async function plantCallbacks(sql: Sql): Promise<string> {
  const review = await hand(sql, { service: SERVICE });
  await sql`update callback set state = 'needs_review', reason = 'outcome_unknown', attempts = 1, due_at = null where id = ${review}`;
  await sql`insert into attempt (callback_id, number, generation, started_at, lease_until, finished_at, phase, reason, latency_ms)
            values (${review}, 1, 1, now() - interval '24 minutes', now() - interval '23 minutes', now() - interval '23 minutes', 'maybe_received', 'timeout', 30000)`;
  for (let n = 0; n < 3; n += 1) await hand(sql, { service: SERVICE });
  await sql`update gate set hand = 'held', hand_actor = 'Mira', hand_reason = 'Power is out until eight', hand_expires_at = now() + interval '4 hours',
            state = 'held', reason = 'held_by_hand', since = ${ago(175)} where service_id = (select id from service where name = ${OTHER})`;
  const sign = () => Buffer.alloc(32);
  const words = { actor: 'Mira' as SafeName, reason: 'Power is out until eight' as SafeName };
  await createSilence(
    sql,
    { id: 'sil_planted', scope: 'service', target: OTHER, forMs: 4 * 3_600_000, keyId: null, ...words },
    sign,
  );
  return review;
}
