import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { createMetrics } from './create-metrics.ts';
import { METRIC_CATALOG } from './metric-catalog.ts';

describe('the metrics', () => {
  it('are named tidegate_<room>_…', () => {
    for (const { name } of Object.values(METRIC_CATALOG)) {
      expect(name).toMatch(
        /^tidegate_(receive|record|correlate|verify|release|gate|notify|retention|feed|queue|deadman|trace)_[a-z_]+$/,
      );
    }
  });

  it('count, observe and set', async () => {
    const metrics = createMetrics({ app: 'worker' });
    metrics.count('receive.requests', { outcome: 'accepted' });
    metrics.count('receive.requests', { outcome: 'accepted' }, 2);
    metrics.observe('record.batch', {}, 17);
    metrics.set('gate.gates', { state: 'held' }, 4);
    metrics.count('verify.layers', { layer: 'public', outcome: 'pass' });
    const text = await metrics.text();
    expect(text).toContain('tidegate_receive_requests_total{outcome="accepted",app="worker"} 3');
    expect(text).toContain('tidegate_record_batch_size_bucket{le="32",app="worker"} 1');
    expect(text).toContain('tidegate_gate_gates{state="held",app="worker"} 4');
    expect(text).toContain('tidegate_verify_layers_total{layer="public",outcome="pass",app="worker"} 1');
    expect(text).toContain('nodejs_eventloop_lag_seconds');
  });

  it(verifies('I3', 'take named values as labels only: no alias, no id, nothing received'), async () => {
    const metrics = createMetrics({ app: 'receiver' });
    for (const outcome of ['dev_abcdef', 'tun_abcdef', 'canary-1', 'Canary', 'a"} 1', '298487', '']) {
      metrics.count('receive.requests', { outcome });
    }
    const text = await metrics.text();
    expect(text).toContain('tidegate_receive_requests_total{outcome="other",app="receiver"} 7');
    expect(text.toLowerCase()).not.toContain('canary');
  });

  it('of two apps in one process do not mix', async () => {
    const [first, second] = [createMetrics({ app: 'api' }), createMetrics({ app: 'worker' })];
    first.count('gate.queries', { decision: 'held' });
    expect(await second.text()).not.toContain('tidegate_gate_queries_total{');
  });
});
