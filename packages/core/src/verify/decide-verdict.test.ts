import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LAYERS, type Layer, type LayerOutcome, type LayerReason, type LayerResult } from '../model/verification.ts';
import { applyControl } from './apply-control.ts';
import { applyEssential } from './apply-essential.ts';
import { decideVerdict } from './decide-verdict.ts';

const OUTCOMES: readonly LayerOutcome[] = ['pass', 'fail', 'unknown', 'skipped'];
const REASON: Record<LayerOutcome, LayerReason> = {
  pass: 'ok',
  fail: 'status_mismatch',
  unknown: 'timeout',
  skipped: 'not_configured',
};

type Outcomes = Record<Layer, LayerOutcome>;

function result(layer: Layer, outcome: LayerOutcome, reason: LayerReason = REASON[outcome]): LayerResult {
  return { layer, outcome, reason, latencyMs: 5, detail: 'made up' };
}

function results(outcomes: Partial<Outcomes>): LayerResult[] {
  return LAYERS.map((layer) => result(layer, outcomes[layer] ?? 'skipped'));
}

/** All 4⁶ ways six layers can end. */
const ALL: readonly Outcomes[] = Array.from({ length: OUTCOMES.length ** LAYERS.length }, (_, index) => {
  const digit = (position: number) => OUTCOMES[Math.floor(index / OUTCOMES.length ** position) % OUTCOMES.length];
  return Object.fromEntries(LAYERS.map((layer, position) => [layer, digit(position)])) as Outcomes;
});

const every = (check: (outcomes: Outcomes, decision: ReturnType<typeof decideVerdict>) => boolean) =>
  ALL.filter((outcomes) => !check(outcomes, decideVerdict(results(outcomes))));
const has = (outcomes: Outcomes, wanted: LayerOutcome) => LAYERS.some((layer) => outcomes[layer] === wanted);

describe('decideVerdict, over all 4096 combinations of outcomes', () => {
  it('passes exactly when healthy, names a broken layer exactly when one failed, and says one sentence', () => {
    expect(ALL).toHaveLength(4096);
    expect(every((_, { verdict, passed }) => passed === (verdict === 'healthy'))).toEqual([]);
    expect(every((o, { firstBroken }) => (firstBroken !== null) === has(o, 'fail'))).toEqual([]);
    expect(every((o, { firstBroken }) => firstBroken === null || o[firstBroken] === 'fail')).toEqual([]);
    expect(every((_, { runbook }) => /^[A-Z][^.]*\.$/.test(runbook))).toEqual([]);
  });

  it('is never healthy with a failed layer, or with nothing passed', () => {
    expect(every((o, { verdict }) => verdict !== 'healthy' || (has(o, 'pass') && !has(o, 'fail')))).toEqual([]);
  });

  it('is inconclusive when nothing is configured, and when all that is configured is unknown', () => {
    expect(every((o, { verdict }) => has(o, 'pass') || has(o, 'fail') || verdict === 'inconclusive')).toEqual([]);
  });

  it('lets an unknown device or tunnel pass only when public or application passes', () => {
    const local = (o: Outcomes) =>
      (['local_liveness', 'local_readiness', 'public', 'application'] as const).some((l) => o[l] === 'unknown');
    const edge = (o: Outcomes) => o.device === 'unknown' || o.tunnel === 'unknown';
    const reached = (o: Outcomes) => o.public === 'pass' || o.application === 'pass';
    expect(
      every((o, { verdict }) => {
        if (has(o, 'fail') || !has(o, 'pass')) return true;
        return (verdict === 'healthy') === (!local(o) && (!edge(o) || reached(o)));
      }),
    ).toEqual([]);
  });

  it('names the first broken layer in dependency order', () => {
    const order: readonly (readonly [Layer, string])[] = [
      ['device', 'device_offline'],
      ['tunnel', 'tunnel_stopped'],
      ['local_liveness', 'agent_down'],
      ['local_readiness', 'agent_not_ready'],
      ['public', 'public_path_broken'],
      ['application', 'app_check_failed'],
    ];
    order.forEach(([layer, expected], position) => {
      const earlier = order.slice(0, position).map(([name]) => name);
      const wrong = every(
        (o, { verdict, firstBroken }) =>
          o[layer] !== 'fail' ||
          earlier.some((name) => o[name] === 'fail') ||
          (verdict === expected && firstBroken === layer),
      );
      expect(wrong).toEqual([]);
    });
  });

  it('says that the agent is healthy when the device is offline but the host says live', () => {
    const note = 'agent healthy, connectivity problem';
    const wrong = every(
      (o, { verdict, notes }) =>
        notes.includes(note) ===
        (verdict === 'device_offline' && o.local_liveness === 'pass' && o.local_readiness !== 'fail'),
    );
    expect(wrong).toEqual([]);
  });

  it('mentions every unknown layer in a note', () => {
    const wrong = every((o, { notes }) =>
      LAYERS.every((layer) => notes.some((note) => note.startsWith(`${layer} unknown`)) === (o[layer] === 'unknown')),
    );
    expect(wrong).toEqual([]);
  });

  it('does not improve when one layer gets worse', () => {
    const worse: Partial<Record<LayerOutcome, readonly LayerOutcome[]>> = {
      pass: ['unknown', 'fail'],
      unknown: ['fail'],
    };
    const wrong = every((o, { passed }) => {
      if (passed) return true;
      return LAYERS.every((layer) =>
        (worse[o[layer]] ?? []).every((outcome) => !decideVerdict(results({ ...o, [layer]: outcome })).passed),
      );
    });
    expect(wrong).toEqual([]);
  });

  it('counts no failure of public or application while the control probe fails', () => {
    for (const outcomes of ALL) {
      const softened = (layer: 'public' | 'application') => (outcomes[layer] === 'fail' ? 'unknown' : outcomes[layer]);
      const decision = decideVerdict(results(outcomes), { control: 'failed' });
      const expected = decideVerdict(
        results({ ...outcomes, public: softened('public'), application: softened('application') }),
      );
      expect(decision.verdict).toBe(expected.verdict);
      expect(decision.firstBroken === 'public' || decision.firstBroken === 'application').toBe(false);
    }
  });
});

describe('decideVerdict', () => {
  it('does not depend on the order of results, and takes a missing layer for skipped', () => {
    const some = fc.constantFrom(...ALL);
    fc.assert(
      fc.property(some, fc.shuffledSubarray([...LAYERS], { minLength: 6 }), (outcomes, order) => {
        const decision = decideVerdict(results(outcomes));
        expect(decideVerdict(order.map((layer) => result(layer, outcomes[layer])))).toEqual(decision);
        const configured = results(outcomes).filter(({ outcome }) => outcome !== 'skipped');
        expect(decideVerdict(configured)).toEqual(decision);
      }),
    );
  });

  it('believes the worse of two results for one layer', () => {
    const twice = [result('device', 'pass'), result('public', 'fail'), result('public', 'pass')];
    expect(decideVerdict(twice).verdict).toBe('public_path_broken');
    expect(decideVerdict([...twice].reverse()).verdict).toBe('public_path_broken');
  });

  it.each(['unauthorized', 'forbidden'] as const)(
    'calls %s of the application denied access, not a broken agent',
    (reason) => {
      const denied = [result('local_liveness', 'pass'), result('application', 'fail', reason)];
      expect(decideVerdict(denied)).toMatchObject({
        verdict: 'access_denied',
        firstBroken: 'application',
        passed: false,
      });
      expect(decideVerdict([result('public', 'fail', reason)]).verdict).toBe('public_path_broken');
    },
  );

  it.each<[LayerReason, RegExp]>([
    ['control_failed', /internet connection of the machine Tidegate runs on/],
    ['reporter_silent', /reporter on the host/],
    ['unauthorized', /Localtonet API key/],
    ['timeout', /Wait for the next verification/],
  ])('knows what to do about an inconclusive run because of %s', (reason, step) => {
    expect(decideVerdict([result('device', 'unknown', reason)]).runbook).toMatch(step);
  });

  it('asks for a probe when none is configured', () => {
    expect(decideVerdict([])).toMatchObject({ verdict: 'inconclusive', passed: false });
    expect(decideVerdict([]).runbook).toMatch(/^Configure/);
  });

  it('lets degraded readiness pass unless it may concern something essential', () => {
    const degraded = [result('local_readiness', 'pass', 'degraded')];
    const verdict = (names: string[], essential: string[]) =>
      decideVerdict(degraded, { degraded: names, essential }).verdict;
    expect(verdict(['cache'], [])).toBe('healthy');
    expect(verdict(['cache'], ['database'])).toBe('healthy');
    expect(verdict(['cache', 'database'], ['database'])).toBe('agent_not_ready');
    expect(verdict([], ['database'])).toBe('agent_not_ready');
    expect(decideVerdict(degraded).notes).toEqual(['readiness is degraded, nothing essential']);
  });
});

describe('applyControl', () => {
  it('changes nothing but failing public and application layers, and only when the control probe failed', () => {
    for (const outcomes of ALL) {
      const before = results(outcomes);
      expect(applyControl(before, 'passed')).toEqual(before);
      expect(applyControl(before, 'not_configured')).toEqual(before);
      applyControl(before, 'failed').forEach((after, index) => {
        const was = before[index];
        const softened = was?.outcome === 'fail' && (was.layer === 'public' || was.layer === 'application');
        if (softened) expect(after).toMatchObject({ layer: was.layer, outcome: 'unknown', reason: 'control_failed' });
        else expect(after).toEqual(was);
      });
    }
  });
});

describe('applyEssential', () => {
  it('leaves other layers and plain readiness alone', () => {
    const facts = { degraded: [], essential: ['database'] };
    for (const outcomes of ALL) expect(applyEssential(results(outcomes), facts)).toEqual(results(outcomes));
  });
});
