import { firstFault } from './faults.ts'
import { forgetValues } from './keep-values.ts'
import type { Kept } from './kept.ts'
import type { PageLoader } from './load-page.ts'
import { linkOf } from './visit.ts'
import { hideWords, showWords, titleOf } from './waiting-words.ts'

const SLOW_MS = 8_000
const OVERTAKEN_MS = 500

export interface KeysParts {
  readonly loader: PageLoader
  readonly kept: Kept
  readonly say: (words: string) => void
  /** The person would rather not wait. */
  readonly onLeave: () => void
}

export interface Keys {
  /**
   * Sends a form of keys: says at once what is certainly wrong, shows that it is being checked, and after 8 seconds a way
   * out. When nobody can be reached, everything stays and can be sent again: the form counts once.
   */
  send(form: HTMLFormElement): Promise<void>
  /** Takes back what is being checked. Answers the attempt when it is too late for that, or when nobody knows. */
  takeBack(): Promise<string | undefined>
  /** The same without waiting, for a page that goes away. */
  abandon(): void
}

/** Sends keys, and takes them back when the person goes elsewhere before an answer has come. */
export function createKeys({ loader, kept, say, onLeave }: KeysParts): Keys {
  let checked: URL | undefined
  let taking: Promise<string | undefined> | undefined
  const cancel = async (url: URL, keepalive = false): Promise<string> => {
    const headers = loader.headers(new URL(location.href))
    const answer = await fetch(url, { method: 'DELETE', headers, keepalive, cache: 'no-store' })
    const { state = '' } = (await answer.json()) as { state?: string }
    return answer.ok || answer.status === 404 ? state : ''
  }
  const takeBackNow = async (): Promise<string | undefined> => {
    const url = checked
    if (url === undefined) return undefined
    loader.stop()
    try {
      let state = await cancel(url)
      // It may have overtaken the form.
      if (state === 'unknown') state = await wait(OVERTAKEN_MS).then(() => cancel(url))
      checked = undefined
      return state === 'failed' || state === 'unknown' ? undefined : attemptOf(url)
    } catch {
      return attemptOf(url)
    }
  }
  const send = async (form: HTMLFormElement): Promise<void> => {
    const fault = firstFault(form)
    if (fault !== undefined) {
      fault.focus()
      return
    }
    const button = form.querySelector<HTMLElement>('button[type="submit"], button:not([type])')
    if (button?.ariaBusy === 'true') return
    const idle = keepBusy(button, titleOf('checking'))
    say(titleOf('checking'))
    const slow = setTimeout(() => showWords('slow', { leave: onLeave }), SLOW_MS)
    checked = attemptUrl(form)
    try {
      if (await loader.send(form)) checked = undefined
      if (document.querySelector('main[data-account]') !== null) forgetValues(form, kept)
    } catch {
      idle()
      const retry = () => {
        hideWords()
        void send(form)
      }
      if (!showWords('offline', { retry })) {
        checked = undefined
        form.submit()
      }
    } finally {
      clearTimeout(slow)
      say('')
    }
  }
  return {
    send,
    takeBack() {
      taking ??= takeBackNow().finally(() => {
        taking = undefined
      })
      return taking
    },
    abandon() {
      if (checked !== undefined) cancel(checked, true).catch(() => undefined)
    },
  }
}

function attemptUrl(form: HTMLFormElement): URL {
  const { pathname } = new URL(form.action)
  const attempt = String(new FormData(form).get('attempt') ?? '')
  return new URL(`/link/${linkOf(pathname)}/attempts/${attempt}`, location.href)
}

function attemptOf({ pathname }: URL): string {
  return pathname.slice(pathname.lastIndexOf('/') + 1)
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** Marks a button as at work, and says at what; answers how to end it. */
export function keepBusy(button: HTMLElement | null, words?: string): () => void {
  if (button === null) return () => undefined
  const text = button.querySelector('span')
  const before = [...(text?.childNodes ?? [])]
  button.ariaBusy = 'true'
  if (words !== undefined) text?.replaceChildren(words)
  return () => {
    button.ariaBusy = null
    text?.replaceChildren(...before)
  }
}
