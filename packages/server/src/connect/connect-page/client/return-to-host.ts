import type { SessionStorage } from './frame-session.ts'

const RETURN_MS = 2_000

/**
 * Returns to the product after two seconds, unless the person presses a key, touches the page or asks to stay. Does so once
 * per account: a person who comes back stays.
 */
export function scheduleReturn(main: HTMLElement, storage: SessionStorage): void {
  const note = main.querySelector<HTMLElement>('[data-returning]')
  const status = note?.querySelector<HTMLElement>('[data-text]')
  const link = main.querySelector<HTMLAnchorElement>('.actions [data-exit]')
  const key = `linchpin:returned:${main.dataset.attempt}`
  if (!note || !status || !link || storage.get(key) !== undefined) return
  storage.set(key, 'yes')
  note.hidden = false
  // A status is announced when its text changes.
  status.textContent = status.dataset.text ?? ''
  const listeners = new AbortController()
  const timer = setTimeout(() => {
    stay()
    if (main.isConnected) location.assign(link.href)
  }, RETURN_MS)
  const stay = () => {
    clearTimeout(timer)
    listeners.abort()
    if (note.contains(document.activeElement)) link.focus()
    // Keeps its place: the buttons must not move under the pointer.
    note.style.visibility = 'hidden'
  }
  for (const type of ['click', 'keydown', 'pointerdown', 'wheel'])
    addEventListener(type, stay, { signal: listeners.signal })
}
