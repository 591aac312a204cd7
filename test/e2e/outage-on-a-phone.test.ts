import type { Incident } from '@tidegate/client';
import { startWorld, type World } from '@tidegate/simulator';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handOver } from '../support/hand-over.ts';
import { openBrowser } from '../support/open-browser.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { until } from '../support/until.ts';

/** The real processes, a real browser as wide as a phone, and nobody who reloads: what happens appears by itself. */
describe('an outage, seen on a phone', () => {
  let world: World;
  let stack: Stack;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    world = await startWorld({ stoppedAppDelayMs: 300 });
    stack = await startStack({ config: stackConfig(world) });
    world.connectWebhook(stack.ready().sources[0]?.webhookUrl ?? '');
    browser = await openBrowser();
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await stack?.close();
    await world?.close();
  }, 60_000);

  const headline = () => page.locator('#headline').textContent();

  it('begins with all being well, after signing in at the address of the ready file', async () => {
    const { pageUrl, adminKey } = stack.ready();
    await page.goto(pageUrl);
    await page.getByLabel('API key').fill(adminKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await until('all is well', headline, (text) => text === 'All is well', 30_000);
    expect(await page.locator('#gates').textContent()).toContain('No gate is held');
  });

  it('shows the held gate, the held callback and the incident by itself', async () => {
    await world.account.deviceGoesOffline(world.deviceName);
    await handOver(stack, {
      service: SERVICE,
      url: `${world.callbackReceiver.url}/reports`,
      headers: {},
      body: { report: 7 },
      repeat: 'deduplicated',
      key: 'phone-report-7',
    });
    await until(
      'the gate',
      () => page.locator('#gates').textContent(),
      (text) => text?.includes('because a disconnect was received') === true,
    );
    await until('the incident', headline, (text) => text?.startsWith('1 incident open, 1 gate held') === true);
    await until(
      'the callback',
      () => page.locator('#callbacks').textContent(),
      (text) => /1 Held/.test(text ?? ''),
    );
  });

  it('names the first broken layer, and is acknowledged with one press', async () => {
    await page.getByRole('link', { name: `Device outage: ${world.deviceName}` }).click();
    await until(
      'the layer',
      () => page.locator('.broken-layer').textContent(),
      (text) => text?.trim() === 'Device',
    );
    expect(await page.locator('.link-first').textContent()).toMatch(/^Devicebroken, \d+ ms/);
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('It is yours now').waitFor();
    const { items } = await stack.get<{ items: Incident[] }>('/v1/incidents?state=acknowledged');
    expect(items).toHaveLength(1);
  });

  it('turns layer by layer, releases and ends, while the page stays open', async () => {
    await world.account.deviceComesBack(world.deviceName);
    await until(
      'the end',
      () => page.locator('.broken-layer').textContent(),
      (text) => text?.trim() === 'Resolved',
    );
    expect(await page.locator('.chain .link-pass').count()).toBe(6);
    expect(await page.locator('#act-note').isVisible()).toBe(true);
    expect(await page.locator('#acknowledge').count()).toBe(0);
    await until(
      'the delivery',
      () => page.locator('#waiting').textContent(),
      (text) => text?.includes('1 delivered') === true,
    );
    expect(await page.title()).toMatch(/^Resolved: /);
    expect(world.callbackReceiver.requests).toHaveLength(1);
    await page.getByRole('link', { name: 'Now' }).click();
    await until('all is well', headline, (text) => text === 'All is well');
  });

  it('and nothing on the way was refused or failed', () => {
    expect(complaints).toEqual([]);
  });
});
