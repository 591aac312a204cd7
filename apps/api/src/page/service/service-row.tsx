import { GATE_WORDS, type GateReason } from '@tidegate/core';
import { Since, Time } from '../layout/time.tsx';
import { HandWords } from '../now/gate-summary.tsx';
import { FlapStrip } from './flap-strip.tsx';
import { GateBadge } from './gate-badge.tsx';
import type { LoadedService } from './load-services.ts';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

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
      <Availability loaded={loaded} at={at} />
    </li>
  );
}

/** What the gate does, since when and why. */
export function GateState({ loaded: { gate, hand }, at }: { loaded: LoadedService; at: Date }) {
  return (
    <span class="gate-state">
      <GateBadge gate={gate} hand={hand} />
      <span class="meta">
        <Since at={new Date(gate.since)} now={at} />
        {gate.decision === 'allowed' ? null : `, because ${GATE_WORDS[gate.reason as GateReason]}`}
        <HandWords hand={hand} />
      </span>
    </span>
  );
}

/** Time without an open incident about the service; over a life that is shorter than both once, and since when. */
export function Availability({ loaded: { record }, at }: { loaded: LoadedService; at: Date }) {
  const lifeMs = at.getTime() - record.createdAt.getTime();
  const born = (
    <>
      Since <Time at={record.createdAt} />
    </>
  );
  return (
    <dl class="availability">
      {lifeMs < DAY_MS ? null : (
        <div>
          <dt>24 hours</dt>
          <dd>{showShare(record.availableDay)}</dd>
        </div>
      )}
      <div>
        <dt>{lifeMs < WEEK_MS ? born : '7 days'}</dt>
        <dd>{showShare(record.availableWeek)}</dd>
      </div>
    </dl>
  );
}

/** Never rounded up to 100: that means that nothing happened. */
function showShare(share: number): string {
  return share >= 1 ? '100 %' : `${(Math.floor(Math.max(0, share) * 10_000) / 100).toFixed(2)} %`;
}
