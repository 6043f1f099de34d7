import { type Channel, openChannel } from './channel.ts'
import { frameUrl } from './frame-url.ts'
import type { LinkExit, LinkedAccount, LinkFailure } from './messages.ts'
import { watchArrival } from './not-shown/watch-arrival.ts'
import type { LinkHandle, OpenLinkOptions } from './options.ts'
import { openDialog } from './surface/dialog.ts'
import { openInline } from './surface/inline.ts'
import type { Surface } from './surface/surface.ts'
import { watchGone } from './surface/watch-gone.ts'
import { hostWords } from './words.ts'

/** A page that is open, for whoever opens others. */
export interface OpenVisit {
  readonly handle: LinkHandle
  /** The page did not come up. */
  isRefused(): boolean
  focus(): void
  replace(): void
}

/** Opens the page once; `onOver` when everything of it is removed, before the callbacks of the host run. */
export function openVisit(options: OpenLinkOptions, onOver: () => void): OpenVisit {
  const words = hostWords(options.lang)
  const session = newSession()
  const url = frameUrl(options, session)
  const iframe = createFrame(options.title ?? words.title)
  const visit: Visit = {
    status: 'loading',
    isShown: false,
    isRefused: false,
    account: undefined,
    isOver: false,
  }
  let resolve: (outcome: { account?: LinkedAccount }) => void
  const result = new Promise<{ account?: LinkedAccount }>((done) => {
    resolve = done
  })

  const end = (exit?: LinkExit) => {
    if (visit.isOver) return
    visit.isOver = true
    stopWaiting()
    stopWatching()
    channel.send('close', {})
    channel.stop()
    surface.remove()
    onOver()
    if (exit !== undefined) {
      options.onEvent?.('EXIT', { reason: exit.reason, status: exit.status })
      options.onExit?.(exit)
    }
    resolve(visit.account === undefined ? {} : { account: visit.account })
  }
  const leave = (reason: LinkExit['reason']) => end({ reason, status: visit.status })
  const refuse = (failure: LinkFailure) => {
    if (visit.isOver || visit.isShown) return
    visit.status = 'failed'
    visit.isRefused = true
    surface.fail(failure.displayMessage)
    options.onError?.(failure)
  }
  const onFocus = (at: 'end' | 'start') => channel.send('focus', { at })
  const parts = { iframe, options, words, onLeave: leave, onFocus }
  const surface: Surface =
    options.container === undefined ? openDialog(parts) : openInline(options.container, parts)
  const stopWaiting = watchArrival({ iframe, url, session, words, onFailure: refuse })
  const onShown = () => {
    stopWaiting()
    surface.show()
  }
  const channel = hearFrame({ iframe, options, surface, visit, end, onShown, url, session })
  const stopWatching = watchGone(iframe, () => leave('host'))
  iframe.src = url.href
  return {
    handle: { close: () => leave('host'), destroy: () => end(), result },
    isRefused: () => visit.isRefused && !visit.isShown,
    focus: () => iframe.focus(),
    replace: () => leave('replaced'),
  }
}

interface Visit {
  /** The last state that was shown; `loading` before. */
  status: string
  /** The page has shown a state of its own. */
  isShown: boolean
  /** It was given up to wait for one. */
  isRefused: boolean
  account: LinkedAccount | undefined
  isOver: boolean
}

interface Hearing {
  readonly iframe: HTMLIFrameElement
  readonly options: OpenLinkOptions
  readonly surface: Surface
  readonly visit: Visit
  readonly end: (exit: LinkExit) => void
  readonly onShown: () => void
  readonly url: URL
  readonly session: string
}

function hearFrame({ iframe, options, surface, visit, end, onShown, ...to }: Hearing): Channel {
  const { theme } = options
  const channel = openChannel(
    iframe,
    { origin: to.url.origin, session: to.session },
    {
      ready: () =>
        channel.send('init', { ...initOf(options), theme: theme === 'system' ? undefined : theme }),
      opened({ status }) {
        const isFirst = !visit.isShown
        visit.isShown = true
        visit.status = status
        onShown()
        if (isFirst) options.onReady?.()
      },
      event: ({ name, meta }) => options.onEvent?.(name, meta),
      success({ account }) {
        // A page that was loaded again tells it again.
        if (visit.account?.integrationAccountId === account.integrationAccountId) return
        visit.account = account
        visit.status = 'connected'
        options.onSuccess?.(account)
      },
      error: (failure) => options.onError?.(failure),
      exit: end,
      resize: ({ height }) => surface.resize(height),
    },
  )
  return channel
}

function initOf({ accountIdentifier, redirectURL, integration, lang }: OpenLinkOptions) {
  return { accountIdentifier, redirectURL, integration, lang }
}

function createFrame(title: string): HTMLIFrameElement {
  const iframe = document.createElement('iframe')
  iframe.className = 'linchpin-frame'
  iframe.title = title
  iframe.allow = 'clipboard-write'
  iframe.referrerPolicy = 'no-referrer'
  return iframe
}

/** 128 random bits. */
function newSession(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
