import { ASSETS } from '../asset/assets.ts';
import type { Viewer } from '../session/viewer.ts';
import { KeyboardHelp } from './keyboard-help.tsx';
import { mayEnter, SECTIONS, type Section } from './sections.ts';

export interface PageFrame {
  readonly title: string;
  /** Null for who is not signed in. */
  readonly viewer: Viewer | null;
  /** The section that the navigation marks. */
  readonly section?: Section;
  /** Reloads at once to this path. */
  readonly goTo?: string;
  /** The page could not be made now; the script asks for it again until it comes. */
  readonly comesBack?: boolean;
}

/** The frame of every page. */
export function Layout({ frame, children }: { frame: PageFrame; children: unknown }) {
  const { title, viewer, section, goTo, comesBack = false } = frame;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        {goTo === undefined ? null : <meta http-equiv="refresh" content={`0; url=${goTo}`} />}
        <title>{`${title} · Tidegate`}</title>
        <link rel="icon" href={ASSETS.icon.path} type="image/svg+xml" />
        <link rel="stylesheet" href={ASSETS.style.path} />
        {viewer === null && !comesBack ? null : <script src={ASSETS.script.path} defer></script>}
        {viewer === null ? null : <script src={ASSETS.keys.path} defer></script>}
      </head>
      <body data-now={new Date().toISOString()}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <Header viewer={viewer} section={section} />
        {viewer === null ? null : <p id="stale" role="alert"></p>}
        <main id="main" tabindex={-1}>
          {children}
        </main>
        {viewer === null ? null : (
          <footer>
            <p id="zone" class="meta">
              Times are in UTC.
            </p>
          </footer>
        )}
        {viewer === null ? null : <KeyboardHelp viewer={viewer} />}
      </body>
    </html>
  );
}

function Header({ viewer, section }: { viewer: Viewer | null; section: Section | undefined }) {
  return (
    <header class="top">
      <div class="top-line">
        <a class="brand" href="/">
          <img src={ASSETS.icon.path} alt="" width="28" height="28" />
          Tidegate
        </a>
        {viewer === null ? null : <Account viewer={viewer} />}
      </div>
      {viewer === null ? null : (
        <nav aria-label="Pages" class="sections">
          <ul>
            {Object.values(SECTIONS).map((one: Section) =>
              mayEnter(viewer, one) ? (
                <li>
                  <a href={one.path} data-go={one.key} aria-current={one.path === section?.path ? 'page' : undefined}>
                    {one.label}
                  </a>
                </li>
              ) : null,
            )}
          </ul>
        </nav>
      )}
    </header>
  );
}

function Account({ viewer }: { viewer: Viewer }) {
  return (
    <div class="account">
      <span id="live" class="live" role="status"></span>
      <button
        id="show-keys"
        type="button"
        class="quiet"
        hidden
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts"
      >
        ?
      </button>
      <span class="who">{viewer.name}</span>
      <form method="post" action="/sign-out">
        <button type="submit" class="quiet">
          Sign out
        </button>
      </form>
    </div>
  );
}
