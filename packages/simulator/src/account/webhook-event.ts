/** The body of a Localtonet webhook: four PascalCase fields, in this order (LOCALTONET.md, "Webhook"). */
export interface WebhookEvent {
  /** The AuthToken itself, or a tunnel's number as text. */
  readonly Id: string;
  readonly ActionDate: string;
  readonly Type: 'Token' | 'Tunnel';
  readonly Status: 'Connected' | 'Disconnected';
}

/** How ActionDate says its time zone: `Z`, an offset, or not at all. */
export type DateStyle = 'z' | 'offset' | 'none';

/** A moment in 100 ns ticks since 1970, the unit of a .NET date. */
export type Ticks = bigint;

const TICKS_PER_MS = 10_000n;

export function ticksFromMs(epochMs: number): Ticks {
  return BigInt(Math.trunc(epochMs)) * TICKS_PER_MS;
}

/**
 * Writes an ActionDate with seven fractional digits. `offsetMinutes` is the zone of the written clock: the offset
 * named by `offset`, or the unnamed zone of `none`; `z` ignores it.
 */
export function formatActionDate(ticks: Ticks, style: DateStyle, offsetMinutes = 0): string {
  const shiftMinutes = style === 'z' ? 0 : offsetMinutes;
  const local = new Date(Number(ticks / TICKS_PER_MS) + shiftMinutes * 60_000).toISOString().slice(0, -1);
  const digits = local + String(ticks % TICKS_PER_MS).padStart(4, '0');
  if (style === 'none') return digits;
  return digits + (style === 'z' ? 'Z' : formatOffset(offsetMinutes));
}

function formatOffset(offsetMinutes: number): string {
  const size = Math.abs(offsetMinutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
