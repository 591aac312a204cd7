import type { Viewer } from '../session/viewer.ts';
import { mayEnter, SECTIONS, type Section } from './sections.ts';

/** What the keys do, in an overlay that `?` opens; only the script ever shows it. */
export function KeyboardHelp({ viewer }: { viewer: Viewer }) {
  return (
    <dialog id="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keyboard shortcuts</h2>
      <dl class="keys">
        <Key press={['j']} does="next in the list" />
        <Key press={['k']} does="previous in the list" />
        <Key press={['Enter']} does="open what is focused" />
        <Key press={['a']} does="go to the button that acknowledges" />
        {Object.values(SECTIONS).map((one: Section) =>
          mayEnter(viewer, one) ? <Key press={['g', one.key]} does={one.label} /> : null,
        )}
        <Key press={['?']} does="this overlay" />
        <Key press={['Esc']} does="close it" />
      </dl>
      <p>
        <label class="check">
          <input id="keys-on" type="checkbox" checked />
          Single keys act as shortcuts
        </label>
      </p>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

function Key({ press, does }: { press: readonly string[]; does: string }) {
  return (
    <div>
      <dt>
        {press.map((key, at) => (
          <>
            {at > 0 ? ' then ' : null}
            <kbd>{key}</kbd>
          </>
        ))}
      </dt>
      <dd>{does}</dd>
    </div>
  );
}
