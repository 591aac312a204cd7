import { DurationField, ReasonField } from '../layout/order-form.tsx';
import { GateForms } from '../service/gate-forms.tsx';
import type { Viewer } from '../session/viewer.ts';
import { count } from '../words/count.ts';
import type { LoadedIncident } from './load-incident.ts';
import { listSilenceChoices } from './silence-choices.ts';

/** The gates of a fleet are better ordered on their own pages. */
const MOST_GATES = 8;

/** The one thing to do first. */
export function AcknowledgeForm({ id }: { id: string }) {
  return (
    <form method="post" action={`/incidents/${id}/acknowledge`} class="acknowledge">
      <button id="acknowledge" type="submit" class="primary">
        Acknowledge
      </button>
      <span class="hint">Tells others that you are on it.</span>
    </form>
  );
}

/** What else a person can do about an incident. */
export function IncidentForms({ loaded, viewer }: { loaded: LoadedIncident; viewer: Viewer }) {
  const { incident } = loaded;
  const path = `/incidents/${incident.id}`;
  const acts = viewer.may('incidents:write');
  if (!acts && !viewer.may('gate:override')) return null;
  return (
    <section id="acts" data-live="" aria-labelledby="act-title">
      <h2 id="act-title">Do something about it</h2>
      {acts ? <NoteForm path={path} /> : null}
      {acts ? <SilenceForm loaded={loaded} viewer={viewer} /> : null}
      {acts && incident.state !== 'resolved' ? <ResolveForm path={path} /> : null}
      <Gates loaded={loaded} viewer={viewer} />
    </section>
  );
}

/** Those of many gates are behind one fold, or they would push everything else off a phone. */
function Gates({ loaded: { incident, gates, hands }, viewer }: { loaded: LoadedIncident; viewer: Viewer }) {
  const back = `/incidents/${incident.id}`;
  const named = gates.length > 1;
  const forms = gates
    .slice(0, MOST_GATES)
    .map((gate) => <GateForms gate={gate} hand={hands.get(gate.service)} viewer={viewer} back={back} named={named} />);
  if (!named) return <>{forms}</>;
  return (
    <details id="act-gates">
      <summary>Hold, release or force open one of {count(gates.length, 'gate')}</summary>
      <div class="within">{forms}</div>
      {gates.length > MOST_GATES ? (
        <p>
          <a class="onward" href="/services">
            The others are among the services
          </a>
        </p>
      ) : null}
    </details>
  );
}

function NoteForm({ path }: { path: string }) {
  return (
    <details id="act-note">
      <summary>Add a note</summary>
      <form method="post" action={`${path}/note`} class="stack">
        <label for="note">Note</label>
        <textarea id="note" name="note" rows={3} maxlength={500} required></textarea>
        <button type="submit">Add the note</button>
      </form>
    </details>
  );
}

function SilenceForm({ loaded, viewer }: { loaded: LoadedIncident; viewer: Viewer }) {
  const choices = listSilenceChoices(loaded, viewer);
  if (choices.length === 0) return null;
  const path = `/incidents/${loaded.incident.id}`;
  return (
    <details id="act-silence">
      <summary>Mute its pages</summary>
      <form method="post" action={`${path}/silence`} class="stack">
        <label for="silence-scope">Pages about</label>
        <select id="silence-scope" name="scope">
          {choices.map(({ value, label }) => (
            <option value={value}>{label}</option>
          ))}
        </select>
        <p class="hint">
          Not this incident alone: whatever else breaks there before the time is over, nobody is told of it either.
          Gates and incidents go on as ever.
        </p>
        <DurationField id="silence-for" unlessGiven="15m" />
        <ReasonField id="silence-reason" />
        <button type="submit">Mute</button>
      </form>
    </details>
  );
}

function ResolveForm({ path }: { path: string }) {
  return (
    <details id="act-resolve">
      <summary>Resolve</summary>
      <form method="post" action={`${path}/resolve`} class="stack">
        <p class="hint">
          An incident ends by itself once verification has passed. Without that it ends only by your word, with a reason
          and for a time; no gate is opened by it.
        </p>
        <label class="check">
          <input type="checkbox" name="override" value="yes" />
          End it although nothing proves that it is over
        </label>
        <ReasonField id="resolve-reason" required={false} />
        <DurationField id="resolve-for" />
        <button type="submit">Resolve</button>
      </form>
    </details>
  );
}
