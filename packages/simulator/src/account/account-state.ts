import { SimulatorError } from '../simulator-error.ts';
import type { Tunnel } from '../tunnel/start-tunnel.ts';
import type { WebhookEvent } from './webhook-event.ts';

/** An AuthToken of the account. */
export interface Device {
  /** The credential itself. */
  readonly token: string;
  readonly name: string;
  online: boolean;
}

export interface AccountTunnel {
  /** A number as text, 1 to 15 digits. */
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly deviceToken: string;
  /** 1 = started, 0 = stopped. */
  status: number;
  /** Whether its client is connected to the edge. */
  connectionStatus: boolean;
  /** The edge that this tunnel really is, if one was bound; it is cut and restored along with `connectionStatus`. */
  readonly edge: Pick<Tunnel, 'cut' | 'restore'> | null;
}

/** One change of state that webhooks may tell. `subject` is safe to print: the device's name or the tunnel's id. */
export interface Change {
  readonly type: WebhookEvent['Type'];
  readonly id: string;
  readonly subject: string;
  readonly status: WebhookEvent['Status'];
}

/** The devices and tunnels of one account. Each verb changes what it must and returns the changes, in the order made. */
export class AccountState {
  readonly #devices = new Map<string, Device>();
  readonly #names = new Map<string, Device>();
  readonly #tunnels = new Map<string, AccountTunnel>();
  readonly #tunnelsOfDevice = new Map<string, AccountTunnel[]>();

  get devices(): Device[] {
    return [...this.#devices.values()];
  }

  get tunnels(): AccountTunnel[] {
    return [...this.#tunnels.values()];
  }

  addDevice(device: Device): void {
    if (this.#devices.has(device.token) || this.#names.has(device.name)) {
      throw new SimulatorError('duplicate_subject', `Device ${device.name} is already in the account.`);
    }
    this.#devices.set(device.token, device);
    this.#names.set(device.name, device);
    this.#tunnelsOfDevice.set(device.token, []);
  }

  addTunnel(tunnel: AccountTunnel): void {
    if (!/^\d{1,15}$/.test(tunnel.id)) {
      throw new SimulatorError('invalid_tunnel_id', 'A tunnel id is a number of 1 to 15 digits.');
    }
    if (this.#tunnels.has(tunnel.id)) {
      throw new SimulatorError('duplicate_subject', `Tunnel ${tunnel.id} is already in the account.`);
    }
    const siblings = this.#tunnelsOfDevice.get(tunnel.deviceToken);
    if (!siblings) throw new SimulatorError('unknown_device', `Tunnel ${tunnel.id} names a token of no device.`);
    siblings.push(tunnel);
    this.#tunnels.set(tunnel.id, tunnel);
    if (!tunnel.connectionStatus) tunnel.edge?.cut();
  }

  findDevice(token: string): Device | undefined {
    return this.#devices.get(token);
  }

  findTunnel(id: string): AccountTunnel | undefined {
    return this.#tunnels.get(id);
  }

  tunnelsOf(token: string): readonly AccountTunnel[] {
    return this.#tunnelsOfDevice.get(token) ?? [];
  }

  setDeviceOnline(name: string, online: boolean): Change[] {
    const device = this.#names.get(name);
    if (!device) throw new SimulatorError('unknown_device', `The account has no device named ${name}.`);
    if (device.online === online) return [];
    device.online = online;
    const tunnels = this.tunnelsOf(device.token).filter((tunnel) => tunnel.status === 1);
    return [
      { type: 'Token', id: device.token, subject: device.name, status: online ? 'Connected' : 'Disconnected' },
      ...tunnels.flatMap((tunnel) => changeConnection(tunnel, online)),
    ];
  }

  setTunnelConnected(id: string, connected: boolean): Change[] {
    const tunnel = this.#tunnel(id);
    if (connected && tunnel.status !== 1) {
      throw new SimulatorError('tunnel_not_started', `Tunnel ${id} is stopped, so it cannot connect.`);
    }
    if (connected && !this.findDevice(tunnel.deviceToken)?.online) {
      throw new SimulatorError('device_offline', `The device of tunnel ${id} is offline, so it cannot connect.`);
    }
    return changeConnection(tunnel, connected);
  }

  /** The API's start and stop actions; a started tunnel connects only when its device is online. */
  setTunnelStarted(id: string, started: boolean): Change[] {
    const tunnel = this.#tunnel(id);
    tunnel.status = started ? 1 : 0;
    return changeConnection(tunnel, started && this.findDevice(tunnel.deviceToken)?.online === true);
  }

  #tunnel(id: string): AccountTunnel {
    const tunnel = this.#tunnels.get(id);
    if (!tunnel) throw new SimulatorError('unknown_tunnel', `The account has no tunnel ${id}.`);
    return tunnel;
  }
}

function changeConnection(tunnel: AccountTunnel, connected: boolean): Change[] {
  if (tunnel.connectionStatus === connected) return [];
  tunnel.connectionStatus = connected;
  if (connected) tunnel.edge?.restore();
  else tunnel.edge?.cut();
  const status = connected ? 'Connected' : 'Disconnected';
  return [{ type: 'Tunnel', id: tunnel.id, subject: tunnel.id, status }];
}
