/** The shortest time between two refreshes, in milliseconds. */
const REFRESH_EVERY_MS = 3_000
/** No refresh while someone types. */
const AFTER_TYPING_MS = 2_000

let source: EventSource | undefined
let typedAt = 0
let refreshedAt = 0
let timer: ReturnType<typeof setTimeout> | undefined

addEventListener('input', () => {
  typedAt = Date.now()
})

/** Refreshes pages that want it when something happens. A hidden page closes its stream, and refreshes when it is shown. */
export function watchLive(refresh: () => void): void {
  source?.close()
  source = undefined
  clearTimeout(timer)
  const path = document.querySelector<HTMLMetaElement>('meta[name=linchpin-live]')?.content
  if (path === undefined) return
  const schedule = () => {
    clearTimeout(timer)
    const now = Date.now()
    const waitMs = Math.max(
      0,
      refreshedAt + REFRESH_EVERY_MS - now,
      typedAt + AFTER_TYPING_MS - now,
    )
    timer = setTimeout(() => {
      if (document.hidden) return
      refreshedAt = Date.now()
      refresh()
    }, waitMs)
  }
  const open = () => {
    source?.close()
    source = new EventSource(path)
    source.onmessage = schedule
  }
  document.onvisibilitychange = () => {
    if (document.hidden) source?.close()
    else {
      open()
      schedule()
    }
  }
  if (!document.hidden) open()
}
