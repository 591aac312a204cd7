import type { LocaltonetAccount } from '../account/localtonet-account.ts';
import { type DateStyle, formatActionDate, ticksFromMs, type WebhookEvent } from '../account/webhook-event.ts';
import { createSeededRandom, type SeededRandom } from '../seeded-random.ts';

export interface FleetOptions {
  readonly devices: number;
  readonly tunnelsPerDevice: number;
  /** The same seed makes the same tokens, ids and orders; default 1. */
  readonly seed?: number | string;
}

export interface FleetDevice {
  /** Invented, 40 letters and digits. */
  readonly token: string;
  /** `host-1`, `host-2`, … */
  readonly name: string;
  readonly tunnels: readonly { readonly id: string; readonly title: string }[];
}

export interface FleetEventOptions {
  /** The date of the first event, in epoch milliseconds. */
  readonly startMs: number;
  /** Time between two events in 100 ns ticks; default 1, so that every date differs. */
  readonly spacingTicks?: number;
  readonly dateStyle?: DateStyle;
  /** Minutes east of UTC of the written clock, for `offset` and `none`. */
  readonly offsetMinutes?: number;
  /** `random` (default) shuffles by the fleet's seed, so a call may differ from the call before; `given` keeps device order. */
  readonly order?: 'random' | 'given';
  /** Which devices the burst is about; default all. */
  readonly devices?: readonly FleetDevice[];
}

/** Many invented devices and tunnels, for storms. */
export interface Fleet {
  readonly devices: readonly FleetDevice[];
  /** How many events one burst of the whole fleet has: a Token event per device and one per tunnel. */
  readonly subjectCount: number;
  /** One burst: each device's Token event followed by its Tunnel events, dated in that order, then put in `order`. */
  events(status: WebhookEvent['Status'], options: FleetEventOptions): WebhookEvent[];
  /** Registers every device and tunnel, all online. */
  addTo(account: Pick<LocaltonetAccount, 'addDevice' | 'addTunnel'>): void;
}

const TOKEN_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789';

/** An invented AuthToken. */
export function inventToken(random: SeededRandom): string {
  return random.text(40, TOKEN_ALPHABET);
}

/** Makes the tokens and ids of a fleet; nothing is started. Tunnel ids are distinct numbers of six digits and up. */
export function createFleet({ devices: deviceCount, tunnelsPerDevice, seed = 1 }: FleetOptions): Fleet {
  const random = createSeededRandom(`fleet/${seed}`);
  let lastId = 300_000;
  const nextTunnel = () => {
    lastId += 1 + random.integer(7);
    return { id: String(lastId), title: `tunnel-${lastId}` };
  };
  const devices = Array.from({ length: deviceCount }, (_, index) => ({
    token: inventToken(random),
    name: `host-${index + 1}`,
    tunnels: Array.from({ length: tunnelsPerDevice }, nextTunnel),
  }));

  return {
    devices,
    subjectCount: deviceCount * (1 + tunnelsPerDevice),
    events: (status, options) => {
      const events = listEvents(options.devices ?? devices, status, options);
      return options.order === 'given' ? events : random.shuffle(events);
    },
    addTo: (account) => {
      for (const { token, name, tunnels } of devices) {
        account.addDevice({ token, name });
        for (const { id, title } of tunnels) {
          account.addTunnel({ id, title, url: `https://t${id}.tunnels.example`, deviceToken: token });
        }
      }
    },
  };
}

function listEvents(devices: readonly FleetDevice[], status: WebhookEvent['Status'], options: FleetEventOptions) {
  const spacing = BigInt(options.spacingTicks ?? 1);
  let ticks = ticksFromMs(options.startMs) - spacing;
  const event = (Type: WebhookEvent['Type'], Id: string): WebhookEvent => {
    ticks += spacing;
    return {
      Id,
      ActionDate: formatActionDate(ticks, options.dateStyle ?? 'z', options.offsetMinutes),
      Type,
      Status: status,
    };
  };
  return devices.flatMap((device) => [
    event('Token', device.token),
    ...device.tunnels.map((tunnel) => event('Tunnel', tunnel.id)),
  ]);
}
