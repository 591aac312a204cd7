import { type NotificationService, startNotificationService } from '@tidegate/simulator';

export interface NotifySecrets {
  readonly chatPath: string;
  readonly routingKey: string;
  readonly notifySecret: string;
}

const fromEnv = (name: string) => `\${${name}}`;

/** A chat, a pager and a webhook, as strict as the real ones. */
export async function startNotifyServices({ chatPath, routingKey, notifySecret }: NotifySecrets): Promise<{
  readonly services: readonly NotificationService[];
  /** The `notify` section that leads to them, by variables of the environment wherever a secret is. */
  readonly section: object;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}> {
  const [chat, pager, hook] = await Promise.all([
    startNotificationService('slack', { path: `/${chatPath}` }),
    startNotificationService('pagerduty', { routingKey }),
    startNotificationService('webhook', { path: '/told', signingSecret: notifySecret }),
  ]);
  const services = [chat, pager, hook];
  const channels = {
    chat: { type: 'slack', url: fromEnv('CHAT_URL') },
    pager: { type: 'pagerduty', url: `${pager.url}/v2/enqueue`, routingKey: fromEnv('ROUTING_KEY') },
    hook: { type: 'webhook', url: `${hook.url}/told`, signingSecret: fromEnv('NOTIFY_SECRET') },
  };
  return {
    services,
    section: { channels, allowPrivate: ['127.0.0.1/32'], groupUpdates: '0s' },
    env: { CHAT_URL: `${chat.url}/${chatPath}`, ROUTING_KEY: routingKey, NOTIFY_SECRET: notifySecret },
    close: async () => {
      await Promise.all(services.map((service) => service.close()));
    },
  };
}
