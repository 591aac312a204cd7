import { type BrokenNow, type NextStep as Found, findNextStep, VERDICT_WORDS } from '@tidegate/core';
import type { VerificationView } from '@tidegate/store';
import { Mark, type MarkKind } from '../layout/mark.tsx';
import { count } from '../words/count.ts';
import { LAYER_LABELS } from '../words/labels.ts';
import type { LoadedIncident } from './load-incident.ts';

/** More names would push the next step off the first screen. */
const MOST_NAMED = 3;

/** What a tired person has to read first: the layer that is broken, and what to do about it. */
export function BrokenLayer({ loaded }: { loaded: LoadedIncident }) {
  const { incident, gates } = loaded;
  const next = findNextStep({ ...incident, runs: incident.verifications, gates });
  switch (next.kind) {
    case 'over':
      return <Over incident={incident} />;
    case 'broken':
      return (
        <Box tone="bad" mark="fail" label="First broken layer" word={LAYER_LABELS[next.broken.layer]}>
          <Broken broken={next.broken} services={incident.services} />
          <NextStep step={next.step} />
        </Box>
      );
    case 'unstable':
      return (
        <Box tone="bad" mark="fail" label="The connection comes and goes" word="Unstable">
          {next.broken === null ? null : <Broken broken={next.broken} services={incident.services} named />}
          <NextStep step={next.step} />
        </Box>
      );
    case 'passed':
      return (
        <Box tone="well" mark="pass" label="Last verification" word="Passed">
          <p class="broken-step">Every layer that is checked works.</p>
          <NextStep step={next.step} />
        </Box>
      );
    case 'unclear':
      return <Unclear found={next} incident={incident} />;
  }
}

interface BoxProps {
  readonly tone: 'bad' | 'well' | 'unknown';
  readonly mark: MarkKind;
  readonly label: string;
  readonly word: string;
  readonly children: unknown;
}

function Box({ tone, mark, label, word, children }: BoxProps) {
  return (
    <div class={tone === 'bad' ? 'broken' : `broken broken-${tone}`}>
      <p class="broken-label">{label}</p>
      <p class="broken-layer">
        <Mark kind={mark} />
        {word}
      </p>
      {children}
    </div>
  );
}

interface BrokenProps {
  readonly broken: BrokenNow<VerificationView>;
  readonly services: readonly string[];
  /** The layer is not told above. */
  readonly named?: boolean;
}

function Broken({ broken: { layer, run, services: broken }, services, named = false }: BrokenProps) {
  return (
    <>
      {named ? <p class="broken-of">First broken layer at the last look: {LAYER_LABELS[layer]}.</p> : null}
      {services.length > 1 ? <p class="broken-of">{tellServices(broken)}</p> : null}
      <p class="broken-verdict">{sentence(VERDICT_WORDS[run.verdict])}</p>
    </>
  );
}

type UnclearProps = Pick<LoadedIncident, 'incident'> & {
  readonly found: Extract<Found<VerificationView>, { kind: 'unclear' }>;
};

function Unclear({ found: { run, step, passed, of }, incident: { firstBroken, verifications } }: UnclearProps) {
  if (verifications.length === 0) {
    const first = (
      <>
        {step === null ? null : <NextStep step={step} />}
        <p class="broken-step">It was not verified yet. The first verification comes by itself.</p>
      </>
    );
    if (firstBroken === null) return <NotKnown>{first}</NotKnown>;
    return (
      <Box tone="bad" mark="fail" label="First broken layer" word={LAYER_LABELS[firstBroken]}>
        {first}
      </Box>
    );
  }
  return (
    <NotKnown>
      {run === null ? null : <p class="broken-verdict">{sentence(VERDICT_WORDS[run.verdict])}</p>}
      {step === null ? null : <NextStep step={step} />}
      <p class="broken-step">
        {of > 1 ? `${passed} of ${count(of, 'service')} passed since the last disconnect. ` : ''}
        The next verification comes by itself.
      </p>
    </NotKnown>
  );
}

function NotKnown({ children }: { children: unknown }) {
  return (
    <Box tone="unknown" mark="unknown" label="No layer is known to be broken" word="Not known yet">
      {children}
    </Box>
  );
}

function NextStep({ step }: { step: string }) {
  return (
    <p class="broken-step">
      <strong>Next step:</strong> {step}
    </p>
  );
}

/** Only what a verification proved is told as being well. */
function Over({ incident: { timeline, resolvedBy, mergedInto } }: Pick<LoadedIncident, 'incident'>) {
  const end = timeline.findLast(({ event }) => /^incident\.(resolved|overridden|merged)$/.test(event));
  const why = end === undefined ? null : <p class="broken-step">{end.why}</p>;
  if (mergedInto !== null) {
    return (
      <Box tone="unknown" mark="skipped" label="It goes on in another incident" word="Merged">
        {why}
        <p class="broken-step">
          <a href={`/incidents/${mergedInto}`}>Go to that incident</a>
        </p>
      </Box>
    );
  }
  if (resolvedBy === null) {
    return (
      <Box tone="unknown" mark="unknown" label="Nothing proved that it is over" word="Ended by hand">
        {why}
      </Box>
    );
  }
  return (
    <Box tone="well" mark="pass" label="It is over" word="Resolved">
      {why}
    </Box>
  );
}

function tellServices(services: readonly (string | null)[]): string {
  const names = services.map((service) => service ?? 'devices and tunnels');
  const more = names.length - MOST_NAMED;
  return `Of ${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${count(more, 'more service')}` : ''}`;
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
