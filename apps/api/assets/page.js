// What a page does beyond HTML: it keeps itself current, shows times in the viewer's zone, and sends a form once. It reads our own
// pages again and puts their parts in place of the old ones; nothing that arrives is ever run.

const REFRESH = { 'x-page-refresh': '1' };
/** Refreshes come no closer together than this. */
const PAUSE_MS = 1500;
/** Nor further apart: what only time changes, such as a worker that falls behind, is no event that could be told. */
const LONGEST_MS = 60_000;
const AGAIN_MS = 5000;
const TICK_MS = 10_000;
/** What can be read again within this was never missed. */
const STALE_AFTER_MS = 5000;
const ANSWER_MS = 10_000;
const DAY_MS = 86_400_000;

/** The parts of the page as the server last sent them, before times were localised. */
const sent = new Map();
/** How far the clock here is ahead of the one that made the page. */
const aheadMs = Date.now() - Date.parse(document.body.dataset.now ?? '');

function start() {
  if (document.getElementById('away') !== null) return comeBack();
  for (const part of parts(document)) sent.set(part.id, part.innerHTML);
  localise(document);
  tellZone();
  setInterval(() => tick(document), TICK_MS);
  forgetNotice();
  sendOnce();
  listenToServer();
}

/** @param {ParentNode} within */
function parts(within) {
  return [...within.querySelectorAll('[data-live][id]')];
}

// Times.

/** By the clock of the server: a phone's may be wrong. */
function now() {
  return Date.now() - aheadMs;
}

function tellZone() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const zone = document.getElementById('zone');
  if (zone !== null && timeZone !== 'UTC') zone.textContent = `Times are in ${timeZone}. Point at one to see UTC.`;
}

/** @param {ParentNode} within */
function localise(within) {
  for (const time of within.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    const near = Math.abs(now() - at.getTime()) < DAY_MS && at.toDateString() === new Date(now()).toDateString();
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
    span.textContent = duration(now() - Date.parse(span.dataset.since));
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
let readAtMs = Date.now();
/** @type {EventSource | null} */
let source = null;
let retry = 0;
let staleTimer = 0;

/** A page that nobody sees listens to nothing: a browser has six connections to a host, and a phone one battery. */
function listenToServer() {
  follow();
  document.addEventListener('visibilitychange', () => {
    follow();
    if (document.hidden) tell('paused', true);
  });
  setInterval(() => {
    if (!document.hidden && Date.now() - readAtMs >= LONGEST_MS) refresh();
  }, TICK_MS);
}

function follow() {
  clearTimeout(retry);
  source?.close();
  source = document.hidden ? null : openStream();
}

function openStream() {
  const stream = new EventSource('/events');
  stream.addEventListener('open', () => {
    tell('live', false);
    refresh();
  });
  stream.addEventListener('changed', refresh);
  stream.addEventListener('ended', () => {
    stream.close();
    signedOut();
  });
  stream.addEventListener('error', () => {
    tell('not live', true);
    if (stream !== source) return;
    refresh();
    // After an answer that is no stream, as from a proxy while the api starts again, a browser gives up for good.
    if (stream.readyState === EventSource.CLOSED) retry = setTimeout(follow, AGAIN_MS);
  });
  return stream;
}

/** @param {string} word @param {boolean} away */
function tell(word, away) {
  const live = document.getElementById('live');
  if (live === null || live.textContent === word) return;
  live.textContent = word;
  live.classList.toggle('live-away', away);
}

/** "All is well" is worth nothing on a page that hears nothing. */
function tellStale() {
  const note = document.getElementById('stale');
  if (note === null) return;
  const at = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  note.textContent = `Not reachable since ${at.format(readAtMs)}. What you see is old.`;
  document.body.classList.add('stale');
}

function tellFresh() {
  clearTimeout(staleTimer);
  staleTimer = 0;
  document.body.classList.remove('stale');
  const note = document.getElementById('stale');
  if (note !== null) note.textContent = '';
}

/** What somebody has begun to write is left alone. */
function signedOut() {
  tell('signed out', true);
  if (!isBusy(document)) location.reload();
}

async function refresh() {
  if (refreshing) {
    again = true;
    return;
  }
  refreshing = true;
  again = false;
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(location.href, { headers: REFRESH, credentials: 'same-origin', signal });
    if (answer.status === 401) return signedOut();
    // What is gone, or may not be seen any more, is an answer too.
    if (answer.status >= 500 || answer.status === 429) throw new Error(`answered with ${answer.status}`);
    exchange(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    readAtMs = Date.now();
    tellFresh();
    if (source?.readyState === EventSource.OPEN) tell('live', false);
  } catch {
    tell('not live', true);
    if (staleTimer === 0) staleTimer = setTimeout(tellStale, STALE_AFTER_MS);
  } finally {
    setTimeout(() => {
      refreshing = false;
      if (again) refresh();
    }, PAUSE_MS);
  }
}

/** The page could not be made: it comes by itself as soon as it can. */
function comeBack() {
  setTimeout(async () => {
    const answer = await fetch(location.href, { headers: REFRESH }).catch(() => null);
    if (answer === null || answer.status >= 500) comeBack();
    else location.reload();
  }, AGAIN_MS);
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
  const focused = part.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  part.className = next.className;
  part.replaceChildren(...next.childNodes);
  localise(part);
  for (const id of open) document.getElementById(id)?.setAttribute('open', '');
  if (focused !== null)
    [...part.querySelectorAll('a[href], [id], summary')].find((one) => nameOf(one) === focused)?.focus();
  if (part.dataset.live === 'flash') requestAnimationFrame(() => part.classList.add('changed'));
}

/** By what an element that was put in place of another is known. @param {Element} element */
function nameOf(element) {
  return element.id || element.getAttribute('href') || (element.matches('summary') ? element.parentElement.id : null);
}

// Forms.

/** A second press while the first is under way would be a second order. */
function sendOnce() {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (form.method === 'dialog') return;
    if (form.dataset.sent !== undefined) return event.preventDefault();
    form.dataset.sent = '';
    setTimeout(() => delete form.dataset.sent, TICK_MS);
  });
}

start();
