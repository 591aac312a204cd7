import type { NotificationMessage } from '@tidegate/core';

/** A message as the notify room freezes it. */
export function makeMessage(more: Partial<NotificationMessage> = {}): NotificationMessage {
  return {
    kind: 'open',
    thread: 'inc_4cfq0zt1v8m2',
    title: 'Device offline: mac-mini (research-agent)',
    lines: ['Device mac-mini is disconnected; held: research-agent.', 'First broken layer: device.'],
    severity: 'critical',
    openedSeverity: 'critical',
    group: 'dev_abcdefgh23456777',
    services: ['research-agent'],
    servicesInAll: more.services?.length ?? 1,
    startedAt: '2026-11-30T03:12:00.000Z',
    endedAt: null,
    acknowledged: false,
    decidedAt: '2026-11-30T03:12:20.000Z',
    link: 'https://tidegate.example.org/incidents/inc_4cfq0zt1v8m2',
    ...more,
  };
}
