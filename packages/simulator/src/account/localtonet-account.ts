import type { Listener } from '../listener/start-listener.ts';
import type { AccountApi } from './account-api.ts';
import type { AccountTunnel, Device } from './account-state.ts';
import type { AnswerFault, AnswerShape, FaultScope } from './answer-faults.ts';
import { type PostOptions, type PostOutcome, postWebhook } from './post-webhook.ts';
import type { ApiEndpoint, ApiRequest } from './request-log.ts';
import type { DeliveryFilter, DeliverySettings, WebhookAnswer, WebhookRegistration } from './webhook-delivery.ts';
import type { WebhookSender } from './webhook-sender.ts';

export type NewTunnel = Pick<AccountTunnel, 'id' | 'title' | 'url' | 'deviceToken'> &
  Partial<Pick<AccountTunnel, 'status' | 'connectionStatus' | 'edge'>>;

/** A Localtonet account: its REST API v2, and the webhooks it sends when devices and tunnels come and go. */
export class LocaltonetAccount {
  readonly #api: AccountApi;
  readonly #sender: WebhookSender;
  readonly #listener: Listener;

  constructor(parts: { api: AccountApi; sender: WebhookSender; listener: Listener }) {
    this.#api = parts.api;
    this.#sender = parts.sender;
    this.#listener = parts.listener;
  }

  get port(): number {
    return this.#listener.port;
  }

  /** Ends in `/api/v2`: what Tidegate's `localtonet.baseUrl` is set to. */
  get baseUrl(): string {
    return `${this.#listener.url}/api/v2`;
  }

  get devices(): readonly Readonly<Device>[] {
    return this.#api.state.devices;
  }

  get tunnels(): readonly Readonly<AccountTunnel>[] {
    return this.#api.state.tunnels;
  }

  /** A device is online unless said otherwise. Throws `duplicate_subject` when its token or name is taken. */
  addDevice(device: { token: string; name: string; online?: boolean }): void {
    this.#api.state.addDevice({ token: device.token, name: device.name, online: device.online ?? true });
  }

  /**
   * A tunnel is started, and connected when its device is online, unless said otherwise. A bound `edge` is cut and
   * restored with it. Throws `unknown_device`, `invalid_tunnel_id` or `duplicate_subject`.
   */
  addTunnel(tunnel: NewTunnel): void {
    const status = tunnel.status ?? 1;
    const online = this.#api.state.findDevice(tunnel.deviceToken)?.online === true;
    const connectionStatus = tunnel.connectionStatus ?? (online && status === 1);
    this.#api.state.addTunnel({ ...tunnel, status, connectionStatus, edge: tunnel.edge ?? null });
  }

  /** From now on, changes that the registration watches are posted to its URL. Throws `unsupported_url`. */
  addWebhook(registration: WebhookRegistration): { readonly name: string; remove(): void } {
    return this.#sender.register(registration);
  }

  /**
   * The device and its started tunnels go away, edges first, then the burst. Resolves to the webhooks' answers in the
   * order the deliveries set off; nothing changed, nothing sent. Throws `unknown_device`.
   */
  async deviceGoesOffline(name: string): Promise<WebhookAnswer[]> {
    return this.#sender.send(this.#api.state.setDeviceOnline(name, false));
  }

  /** The opposite of `deviceGoesOffline`; stopped tunnels stay as they are. */
  async deviceComesBack(name: string): Promise<WebhookAnswer[]> {
    return this.#sender.send(this.#api.state.setDeviceOnline(name, true));
  }

  /** One tunnel goes away while its device stays online. Throws `unknown_tunnel`. */
  async tunnelDisconnects(id: string): Promise<WebhookAnswer[]> {
    return this.#sender.send(this.#api.state.setTunnelConnected(id, false));
  }

  /** Throws `unknown_tunnel`, `device_offline` or `tunnel_not_started`: what cannot happen is not told. */
  async tunnelConnects(id: string): Promise<WebhookAnswer[]> {
    return this.#sender.send(this.#api.state.setTunnelConnected(id, true));
  }

  /** Changes how bursts are sent from now on. */
  setDelivery(settings: Partial<DeliverySettings>): void {
    Object.assign(this.#sender.settings, settings);
  }

  /** Loses the next `count` matching deliveries (`Infinity`: all, until `clearDisturbances`). */
  dropNext(count: number, filter: DeliveryFilter = {}): void {
    this.#sender.disturb(count, 'drop', filter);
  }

  /** Sends the next `count` matching deliveries `delayMs` late, without holding up the others. */
  delayNext(count: number, delayMs: number, filter: DeliveryFilter = {}): void {
    this.#sender.disturb(count, { delayMs }, filter);
  }

  /** Forgets what `dropNext` and `delayNext` still had to do. */
  clearDisturbances(): void {
    this.#sender.clearDisturbances();
  }

  /** Every delivery so far; holds neither tokens nor webhook URLs. */
  get webhookAnswers(): readonly WebhookAnswer[] {
    return this.#sender.answers;
  }

  /** Resolves when no delivery is under way, those caused by API actions included. */
  settled(): Promise<void> {
    return this.#sender.settled();
  }

  /** Posts any body once, past all state and settings; see `postWebhook`. */
  postWebhook(url: string, body: unknown, options?: PostOptions): Promise<PostOutcome> {
    return postWebhook(url, body, options);
  }

  /** Milliseconds before each API answer. */
  setLatency(latencyMs: number): void {
    this.#api.latencyMs = latencyMs;
  }

  /** Spoils authorized answers until `times` is used up or `clearFaults`; of several faults the oldest is shown first. */
  setFault(fault: AnswerFault, scope: FaultScope = {}): void {
    this.#api.faults.set(fault, scope);
  }

  clearFaults(): void {
    this.#api.faults.clear();
  }

  /** Bends good answers into other shapes until set back. */
  setShape(shape: Partial<AnswerShape>): void {
    Object.assign(this.#api.shape, shape);
  }

  /** What was asked of the API, unauthorized requests included, without tokens or keys. */
  get requests(): readonly Readonly<ApiRequest>[] {
    return this.#api.log.entries;
  }

  count(endpoint: ApiEndpoint): number {
    return this.#api.log.count(endpoint);
  }

  counts(): Partial<Record<ApiEndpoint, number>> {
    return this.#api.log.counts();
  }

  /** The most API requests that were open at one time. */
  get peakInFlight(): number {
    return this.#listener.peakInFlight;
  }

  /** The API is gone (connections reset, new ones refused); webhooks are not affected. */
  stopApi(): Promise<void> {
    return this.#listener.stop();
  }

  /** The API is back on the same port. */
  startApi(): Promise<void> {
    return this.#listener.start();
  }

  /** Ends deliveries under way and destroys every connection. */
  async close(): Promise<void> {
    await Promise.all([this.#sender.close(), this.#listener.stop()]);
  }
}
