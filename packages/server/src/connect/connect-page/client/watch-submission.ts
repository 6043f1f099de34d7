/** The result of a submission. */
interface SubmissionResult {
  readonly state: 'connected' | 'failed'
  readonly code?: string | undefined
}

interface WatchOptions {
  readonly url: URL
  readonly submissionId: string
  readonly headers: () => Record<string, string>
  /** Whether the popup appears closed. A provider's COOP header can cause that while it is open. */
  readonly isWindowGone: () => boolean
  readonly onWindowGone: () => void
  readonly onEnd: (result: SubmissionResult) => void
}

const FAST_POLL_MS = 1_000
const SLOW_POLL_MS = 3_000
const FAST_POLL_COUNT = 30

/**
 * Polls the state of a submission until it has ended: every second, after 30 polls every three seconds, and immediately
 * when this page becomes visible or the popup reports its end. Returns the function that stops polling.
 */
export function watchSubmission(options: WatchOptions): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let pollCount = 0
  let isStopped = false
  let hasReportedGone = false
  const poll = async () => {
    clearTimeout(timer)
    pollCount += 1
    const result = await fetchResult(options)
    if (isStopped) return
    if (result !== undefined) {
      stop()
      options.onEnd(result)
      return
    }
    if (!hasReportedGone && options.isWindowGone()) {
      hasReportedGone = true
      options.onWindowGone()
    }
    clearTimeout(timer)
    timer = setTimeout(poll, pollCount < FAST_POLL_COUNT ? FAST_POLL_MS : SLOW_POLL_MS)
  }
  const onVisible = () => {
    if (document.visibilityState === 'visible') void poll()
  }
  const channel = openBroadcastChannel()
  channel?.addEventListener('message', ({ data }) => {
    if (data === options.submissionId) void poll()
  })
  document.addEventListener('visibilitychange', onVisible)
  const stop = () => {
    isStopped = true
    clearTimeout(timer)
    channel?.close()
    document.removeEventListener('visibilitychange', onVisible)
  }
  timer = setTimeout(poll, FAST_POLL_MS)
  return stop
}

/** Undefined while the submission is running, unknown, or the server is unreachable. */
async function fetchResult({ url, headers }: WatchOptions): Promise<SubmissionResult | undefined> {
  try {
    const response = await fetch(url, { headers: headers(), cache: 'no-store' })
    const { state, code } = (await response.json()) as { state?: string; code?: string }
    return state === 'connected' || state === 'failed' ? { state, code } : undefined
  } catch {
    return undefined
  }
}

/**
 * The channel on which the last page of a sign-in notifies the other pages in this browser. Undefined where the browser
 * blocks it, for example Firefox with third-party storage disabled; polling then finds the result later.
 */
function openBroadcastChannel(): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel('linchpin:attempt')
  } catch {
    return undefined
  }
}

/** Ends a sign-in window: notifies the page that opened it, and closes the window where the browser allows that. */
export function closeWindow(main: HTMLElement): void {
  const { attempt } = main.dataset
  const channel = openBroadcastChannel()
  if (attempt !== undefined) channel?.postMessage(attempt)
  channel?.close()
  close()
}
