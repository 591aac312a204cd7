import type { TestApi } from './start-test-api.ts';

interface StreamMessage {
  readonly id: string | null;
  readonly event: string;
  readonly data: unknown;
}

export interface OpenedStream {
  readonly response: Response;
  /** All messages so far, heartbeats left out. */
  readonly messages: StreamMessage[];
  /** The id to come back with, as a browser keeps it: heartbeats move it too. */
  lastId(): string | null;
  /** Resolves once the server has ended the stream, or `leave` was called. */
  readonly ended: Promise<void>;
  leave(): void;
}

/** Reads server-sent events as the HTML standard has it: blocks parted by an empty line; an id counts without data too. */
export async function openStream(
  call: TestApi['call'],
  path: string,
  options: { key?: string; lastId?: string | null } = {},
): Promise<OpenedStream> {
  const leaving = new AbortController();
  const response = await call(path, {
    ...(options.key !== undefined && { key: options.key }),
    headers: options.lastId === null || options.lastId === undefined ? {} : { 'last-event-id': options.lastId },
    signal: leaving.signal,
  });
  const messages: StreamMessage[] = [];
  let id: string | null = options.lastId ?? null;

  function takeBlock(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([a-z]*): ?(.*)$/.exec(line) ?? [];
      if (name !== '') fields.set(name, value);
    }
    id = fields.get('id') ?? id;
    const data = fields.get('data');
    if (data !== undefined) messages.push({ id, event: fields.get('event') ?? 'message', data: JSON.parse(data) });
  }

  async function readAll(): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) takeBlock(block);
    }
  }
  const ended = readAll().catch(() => undefined);
  return { response, messages, lastId: () => id, ended, leave: () => leaving.abort() };
}
