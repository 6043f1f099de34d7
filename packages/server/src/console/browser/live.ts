/** The shortest time between two refreshes, in milliseconds. */
const REFRESH_EVERY_MS = 3_000
/** No refresh while someone types. */
const AFTER_TYPING_MS = 2_000
/** The stream beats every five seconds: after this time without a beat, the page says that it is paused. */
const PAUSED_AFTER_MS = 10_000
/** Before a stream that the server refused is opened again; doubles up to a minute. */
const REOPEN_MS = 5_000
const MAX_REOPEN_MS = 60_000

let source: EventSource | undefined
let refresh = () => {}
let heardAt = Date.now()
let typedAt = 0
let refreshedAt = 0
let reopenMs = REOPEN_MS
let isBehind = false
let refreshTimer: ReturnType<typeof setTimeout> | undefined
let reopenTimer: ReturnType<typeof setTimeout> | undefined

/** Refreshes pages that want it when something happens in the workspace. Call it for each page that is shown. */
export function watchLive(refreshPage: () => void): void {
  refresh = refreshPage
  if (getPath() === undefined) closeStream()
  else if (source === undefined && !document.hidden) openStream()
}

addEventListener('input', () => {
  typedAt = Date.now()
  if (isBehind && !hasSelection()) schedule()
})

// A browser has six connections to a host, which hidden pages must not use up.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) return closeStream()
  if (getPath() === undefined) return
  openStream()
  schedule()
})

setInterval(showWhetherPaused, 1_000)

function getPath(): string | undefined {
  return getMeta()?.dataset.path
}

function getMeta(): HTMLMetaElement | null {
  return document.querySelector<HTMLMetaElement>('meta[name=linchpin-live]')
}

/** A refresh would end the selection of rows. */
function hasSelection(): boolean {
  return document.querySelector('.selectable input:checked') !== null
}

/** The stream stays open from page to page, so that nothing is missed between them. */
function openStream(): void {
  closeStream()
  const path = getPath()
  if (path === undefined) return
  heardAt = Date.now()
  const opened = new EventSource(path)
  source = opened
  opened.onopen = () => {
    reopenMs = REOPEN_MS
    if (isBehind) schedule()
    isBehind = false
  }
  opened.addEventListener('beat', () => {
    hear()
    if (getMeta()?.dataset.progress !== undefined) schedule()
  })
  opened.onmessage = () => {
    hear()
    schedule()
  }
  opened.onerror = () => {
    isBehind = true
    if (opened.readyState !== EventSource.CLOSED || source !== opened) return
    // Such as the end of the session: the refreshed page leads to the sign-in.
    if (reopenMs === REOPEN_MS) schedule()
    reopenTimer = setTimeout(openStream, reopenMs)
    reopenMs = Math.min(2 * reopenMs, MAX_REOPEN_MS)
  }
}

function closeStream(): void {
  clearTimeout(reopenTimer)
  source?.close()
  source = undefined
}

function hear(): void {
  heardAt = Date.now()
}

function schedule(): void {
  clearTimeout(refreshTimer)
  const now = Date.now()
  const waitMs = Math.max(0, refreshedAt + REFRESH_EVERY_MS - now, typedAt + AFTER_TYPING_MS - now)
  refreshTimer = setTimeout(() => {
    if (document.hidden || getPath() === undefined) return
    if (Date.now() < typedAt + AFTER_TYPING_MS) return schedule()
    if (hasSelection()) {
      isBehind = true
      return
    }
    isBehind = false
    refreshedAt = Date.now()
    refresh()
  }, waitMs)
}

/** A person who looks at a page must know that it no longer changes. */
function showWhetherPaused(): void {
  const status = document.querySelector<HTMLElement>('[data-paused]')
  if (status === null || document.hidden) return
  const seconds = Math.floor((Date.now() - Math.max(heardAt, refreshedAt)) / 1_000)
  const isPaused = Date.now() - heardAt >= PAUSED_AFTER_MS
  status.hidden = !isPaused
  // A screen reader hears it once, without the seconds.
  const shown = status.querySelector('[aria-hidden] span')
  if (shown !== null && isPaused)
    shown.textContent = (status.dataset.paused ?? '').replace('{seconds}', String(seconds))
}
