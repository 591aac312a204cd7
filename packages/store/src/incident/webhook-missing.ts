import type { Transaction } from '../database/connect.ts';

/**
 * Whether something of an incident that ends came back without a Connected to say so: its last word is a Disconnected that a
 * verification has answered, or it was found down by a poll or a verification and nothing was heard of it since.
 */
export async function isWebhookMissing(tx: Transaction, incidentId: string): Promise<boolean> {
  const [row] = await tx<{ missing: boolean }[]>`
    select coalesce(bool_or(case
        when c.disconnected then c.observation_key = c.cleared_key
        else (x.why = 'polled_offline' or (x.subject_id = i.group_id and i.kind in ('device', 'tunnel')))
          and coalesce(c.moved_at < x.joined_at, true)
      end), false) as missing
    from incident i join incident_subject x on x.incident_id = i.id left join connectivity c on c.subject_id = x.subject_id
    where i.id = ${incidentId}`;
  return row?.missing ?? false;
}
