import type { Gate } from '@tidegate/client';
import type { GateWithHand } from '@tidegate/store';
import { BackField, DurationField, ReasonField } from '../layout/order-form.tsx';
import type { Viewer } from '../session/viewer.ts';
import { nameOrder } from './name-order.ts';

export interface GateFormsProps {
  readonly gate: Gate;
  readonly hand: GateWithHand | undefined;
  readonly viewer: Viewer;
  /** The page to come back to. */
  readonly back: string;
  /** Whether the service has to be named, since there are others beside it. */
  readonly named: boolean;
}

/** Hold, force open, release: what a person can order about one gate. */
export function GateForms(props: GateFormsProps) {
  const { gate, hand, viewer, named } = props;
  if (!viewer.may('incidents:write', 'gate:override')) return null;
  const of = named ? ` ${gate.service}` : ' the gate';
  return (
    <div class="acts">
      {hand === undefined ? (
        <HoldForm {...props} title={`Hold${of}`} />
      ) : (
        <ReleaseForm {...props} title={`Release${of}`} />
      )}
      {viewer.may('gate:override') && hand?.hand !== 'open' ? <ForceForm {...props} title={`Force${of} open`} /> : null}
    </div>
  );
}

type TitledProps = GateFormsProps & { readonly title: string };

function HoldForm({ gate, back, title }: TitledProps) {
  const id = `hold-${gate.service}`;
  return (
    <details id={id}>
      <summary>{title}</summary>
      <form method="post" action={`/services/${gate.service}/hold`} class="stack">
        <BackField to={back} />
        <p class="hint">Nothing opens it, not even a passed verification, until you release it or the time is over.</p>
        <ReasonField id={`${id}-reason`} />
        <DurationField id={`${id}-for`} />
        <button type="submit">Hold</button>
      </form>
    </details>
  );
}

function ReleaseForm({ gate, hand, back, title }: TitledProps) {
  const id = `release-${gate.service}`;
  const what = hand?.hand === 'open' ? 'forced open' : 'held';
  return (
    <details id={id}>
      <summary>{title}</summary>
      <form method="post" action={`/services/${gate.service}/release`} class="stack">
        <BackField to={back} />
        <input type="hidden" name="order" value={nameOrder(hand)} />
        <p class="hint">
          It was {what} by {hand?.handActor}. Taken back, the gate is held until a verification has passed.
        </p>
        <button type="submit">Release</button>
      </form>
    </details>
  );
}

function ForceForm({ gate, back, title }: TitledProps) {
  const id = `force-${gate.service}`;
  return (
    <details id={id} class="danger">
      <summary>{title}</summary>
      <form method="post" action={`/services/${gate.service}/force-open`} class="stack">
        <BackField to={back} />
        <p class="hint">
          Callbacks that wait are sent at once, and nothing shuts the gate until the time is over: not even a
          disconnect.
        </p>
        <ReasonField id={`${id}-reason`} />
        <DurationField id={`${id}-for`} unlessGiven="15m" />
        <label class="check">
          <input type="checkbox" name="sure" value="yes" required />I know that nothing was verified
        </label>
        <button type="submit" class="danger-button">
          Force open
        </button>
      </form>
    </details>
  );
}
