// What a page does beyond HTML: it keeps itself current, shows times in the viewer's zone, and listens to keys. It reads our own
// pages again and puts their parts in place of the old ones; nothing that arrives is ever run.

const REFRESH = { 'x-page-refresh': '1' };
/** Refreshes come no closer together than this. */
const PAUSE_MS = 1500;
const DAY_MS = 86_400_000;
const KEYS_OFF = 'tidegate-keys-off';

/** The parts of the page as the server last sent them, before times were localised. */
const sent = new Map();

function start() {
  for (const part of parts(document)) sent.set(part.id, part.innerHTML);
  localise(document);
  setInterval(() => tick(document), 10_000);
  forgetNotice();
  listenToKeys();
  listenToServer();
}

/** @param {ParentNode} within */
function parts(within) {
  return [...within.querySelectorAll('[data-live][id]')];
}

// Times.

/** @param {ParentNode} within */
function localise(within) {
  for (const time of within.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    const near = Math.abs(Date.now() - at.getTime()) < DAY_MS && at.toDateString() === new Date().toDateString();
    time.textContent = new Intl.DateTimeFormat(undefined, {
      ...(near ? {} : { day: 'numeric', month: 'short' }),
      hour: '2-digit',
      minute: '2-digit',
      ...(time.dataset.precise ? { second: '2-digit' } : {}),
      hourCycle: 'h23',
    }).format(at);
  }
}

/** @param {ParentNode} within */
function tick(within) {
  for (const span of within.querySelectorAll('[data-since]')) {
    span.textContent = duration(Date.now() - Date.parse(span.dataset.since));
  }
}

/** The same words as the server's. @param {number} ms */
function duration(ms) {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes === 0) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A notice is for the moment: a reload does not repeat it. */
function forgetNotice() {
  const url = new URL(location.href);
  if (!url.searchParams.has('did')) return;
  url.searchParams.delete('did');
  history.replaceState(null, '', url);
  document.getElementById('notice')?.scrollIntoView({ block: 'nearest' });
}

// Live.

let refreshing = false;
let again = false;

/** A page that nobody sees listens to nothing: a browser has six connections to a host, and a phone one battery. */
function listenToServer() {
  let source = document.hidden ? null : openStream();
  document.addEventListener('visibilitychange', () => {
    source?.close();
    source = document.hidden ? null : openStream();
    if (document.hidden) tell('paused', true);
  });
}

function openStream() {
  const source = new EventSource('/events');
  source.addEventListener('open', () => {
    tell('live', false);
    refresh();
  });
  source.addEventListener('changed', refresh);
  source.addEventListener('ended', () => {
    source.close();
    tell('signed out', true);
    location.reload();
  });
  source.addEventListener('error', () => tell('not live', true));
  return source;
}

/** @param {string} word @param {boolean} away */
function tell(word, away) {
  const live = document.getElementById('live');
  if (live === null || live.textContent === word) return;
  live.textContent = word;
  live.classList.toggle('live-away', away);
}

async function refresh() {
  if (refreshing) {
    again = true;
    return;
  }
  refreshing = true;
  again = false;
  try {
    const answer = await fetch(location.href, { headers: REFRESH, credentials: 'same-origin' });
    if (answer.status === 401) return location.reload();
    if (answer.ok) exchange(new DOMParser().parseFromString(await answer.text(), 'text/html'));
  } catch {
    tell('not live', true);
  } finally {
    setTimeout(() => {
      refreshing = false;
      if (again) refresh();
    }, PAUSE_MS);
  }
}

/** Puts what has changed in place, and leaves alone what somebody is writing in. @param {Document} fresh */
function exchange(fresh) {
  document.title = fresh.title;
  const ids = (within) =>
    parts(within)
      .map(({ id }) => id)
      .join();
  if (ids(fresh) !== ids(document) && !isBusy(document)) return location.reload();
  for (const part of parts(document)) {
    const next = fresh.getElementById(part.id);
    if (next === null || next.innerHTML === sent.get(part.id) || isBusy(part)) continue;
    sent.set(part.id, next.innerHTML);
    replace(part, next);
  }
}

/** @param {ParentNode} within */
function isBusy(within) {
  const { activeElement } = document;
  const writes = activeElement?.matches('input, textarea, select') && within.contains(activeElement);
  const begun = [...within.querySelectorAll('details[open]')].some((one) => one.querySelector('form') !== null);
  return writes || begun || (within === document && document.querySelector('dialog[open]') !== null);
}

/** @param {Element} part @param {Element} next */
function replace(part, next) {
  const open = [...part.querySelectorAll('details[open][id]')].map(({ id }) => id);
  const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  part.className = next.className;
  part.replaceChildren(...next.childNodes);
  localise(part);
  for (const id of open) document.getElementById(id)?.setAttribute('open', '');
  if (focused !== null) part.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  if (part.dataset.live === 'flash') requestAnimationFrame(() => part.classList.add('changed'));
}

// Keys.

let afterG = false;

function listenToKeys() {
  const dialog = document.getElementById('keys');
  const button = document.getElementById('show-keys');
  const on = document.getElementById('keys-on');
  if (dialog === null || button === null || on === null) return;
  button.hidden = false;
  button.addEventListener('click', () => dialog.showModal());
  on.checked = localStorage.getItem(KEYS_OFF) === null;
  on.addEventListener('change', () => {
    if (on.checked) localStorage.removeItem(KEYS_OFF);
    else localStorage.setItem(KEYS_OFF, 'yes');
  });
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open || !on.checked) return;
    if (event.target instanceof Element && event.target.matches('input, textarea, select')) return;
    if (press(event.key, dialog)) event.preventDefault();
  });
}

/** @param {string} key @param {HTMLDialogElement} dialog @returns {boolean} whether the key meant something */
function press(key, dialog) {
  if (afterG) {
    afterG = false;
    const link = document.querySelector(`[data-go="${CSS.escape(key)}"]`);
    link?.click();
    return link !== null;
  }
  switch (key) {
    case 'g':
      afterG = true;
      return true;
    case '?':
      dialog.showModal();
      return true;
    case 'j':
      return step(1);
    case 'k':
      return step(-1);
    case 'a': {
      const button = document.getElementById('acknowledge');
      button?.focus();
      return button !== null;
    }
    default:
      return false;
  }
}

/** @param {1 | -1} by */
function step(by) {
  const items = [...document.querySelectorAll('[data-item]')];
  const at = items.indexOf(document.activeElement);
  const next = at === -1 ? (by === 1 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, at + by));
  items[next]?.focus();
  return items.length > 0;
}

start();
