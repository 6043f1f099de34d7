import { openNews } from './news.ts'

/** How an attempt ended. */
export interface AttemptEnd {
  readonly state: 'connected' | 'failed'
  readonly code?: string | undefined
}

export interface Watch {
  readonly url: URL
  readonly attempt: string
  readonly headers: () => Record<string, string>
  /** The window of the sign-in looks closed. Providers can make it look so while it is open. */
  readonly isWindowGone: () => boolean
  readonly onWindowGone: () => void
  readonly onEnd: (end: AttemptEnd) => void
}

const OFTEN_MS = 1_000
const SELDOM_MS = 3_000
const OFTEN_TIMES = 30

/**
 * Asks the server how an attempt stands until it has ended: every second, later every third, and at once when this page
 * comes to the front or the window says that it is done. Answers how to stop.
 */
export function watchAttempt(watch: Watch): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let times = 0
  let isStopped = false
  let isGone = false
  const ask = async () => {
    clearTimeout(timer)
    times += 1
    const end = await askOnce(watch)
    if (isStopped) return
    if (end !== undefined) {
      stop()
      watch.onEnd(end)
      return
    }
    if (!isGone && watch.isWindowGone()) {
      isGone = true
      watch.onWindowGone()
    }
    clearTimeout(timer)
    timer = setTimeout(ask, times < OFTEN_TIMES ? OFTEN_MS : SELDOM_MS)
  }
  const onShown = () => {
    if (document.visibilityState === 'visible') void ask()
  }
  const news = openNews()
  news?.addEventListener('message', ({ data }) => {
    if (data === watch.attempt) void ask()
  })
  document.addEventListener('visibilitychange', onShown)
  const stop = () => {
    isStopped = true
    clearTimeout(timer)
    news?.close()
    document.removeEventListener('visibilitychange', onShown)
  }
  timer = setTimeout(ask, OFTEN_MS)
  return stop
}

/** Undefined: not yet, or not known, or nobody answered. */
async function askOnce({ url, headers }: Watch): Promise<AttemptEnd | undefined> {
  try {
    const answer = await fetch(url, { headers: headers(), cache: 'no-store' })
    const { state, code } = (await answer.json()) as { state?: string; code?: string }
    return state === 'connected' || state === 'failed' ? { state, code } : undefined
  } catch {
    return undefined
  }
}
