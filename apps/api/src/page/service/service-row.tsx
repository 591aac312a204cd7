import { GATE_WORDS, type GateReason } from '@tidegate/core';
import { Badge } from '../layout/mark.tsx';
import { Since } from '../layout/time.tsx';
import { HandWords } from '../now/gate-summary.tsx';
import { GATE_LABELS } from '../words/labels.ts';
import { FlapStrip } from './flap-strip.tsx';
import type { LoadedService } from './load-services.ts';

/** A service in the list. */
export function ServiceRow({ loaded, at }: { loaded: LoadedService; at: Date }) {
  const { gate, record } = loaded;
  return (
    <li class="service">
      <div class="service-head">
        <a data-item="" href={`/services/${gate.service}`}>
          {gate.service}
        </a>
        <GateState loaded={loaded} at={at} />
      </div>
      <FlapStrip service={gate.service} strip={record.strip} />
      <Availability loaded={loaded} />
    </li>
  );
}

/** What the gate does, since when and why. */
export function GateState({ loaded: { gate, hand }, at }: { loaded: LoadedService; at: Date }) {
  const allowed = gate.decision === 'allowed';
  const kind = hand?.hand === 'open' ? 'fail' : allowed ? 'pass' : gate.state === 'verifying' ? 'busy' : 'held';
  return (
    <span class="gate-state">
      <Badge kind={kind}>
        {hand?.hand === 'open'
          ? 'Forced open'
          : allowed
            ? GATE_LABELS[gate.state]
            : `Held${gate.state === 'verifying' ? ', verifying' : ''}`}
      </Badge>
      <span class="meta">
        <Since at={new Date(gate.since)} now={at} />
        {allowed ? null : `, because ${GATE_WORDS[gate.reason as GateReason]}`}
        <HandWords hand={hand} />
      </span>
    </span>
  );
}

/** Time without an open incident about the service. */
export function Availability({ loaded: { record } }: { loaded: LoadedService }) {
  return (
    <dl class="availability">
      <div>
        <dt>24 hours</dt>
        <dd>{showShare(record.availableDay)}</dd>
      </div>
      <div>
        <dt>7 days</dt>
        <dd>{showShare(record.availableWeek)}</dd>
      </div>
    </dl>
  );
}

/** Never rounded up to 100: that means that nothing happened. */
function showShare(share: number): string {
  return share >= 1 ? '100 %' : `${(Math.floor(Math.max(0, share) * 10_000) / 100).toFixed(2)} %`;
}
