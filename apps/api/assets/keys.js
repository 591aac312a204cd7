// Single keys that lead through the pages, with an overlay that tells of them and switches them off.

const KEYS_OFF = 'tidegate-keys-off';
/** A `g` that nothing follows is forgotten. */
const AFTER_G_MS = 1500;

/** When it was pressed, by the clock of events: a busy page must not take two quick keys for slow ones. */
let gAt = -Infinity;

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
    if (press(event, dialog)) event.preventDefault();
  });
}

/** @param {KeyboardEvent} event @param {HTMLDialogElement} dialog @returns {boolean} whether the key meant something */
function press({ key, timeStamp }, dialog) {
  const afterG = timeStamp - gAt < AFTER_G_MS;
  gAt = -Infinity;
  if (afterG) {
    const link = document.querySelector(`[data-go="${CSS.escape(key)}"]`);
    link?.click();
    return link !== null;
  }
  switch (key) {
    case 'g':
      gAt = timeStamp;
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

listenToKeys();
