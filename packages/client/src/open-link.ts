import { type Channel, openChannel } from './channel.ts'
import { frameUrl } from './frame-url.ts'
import type { LinkExit, LinkedAccount, LinkFailure } from './messages.ts'
import type { LinkHandle, OpenLinkOptions } from './options.ts'
import { openDialog } from './surface/dialog.ts'
import { openInline } from './surface/inline.ts'
import type { Surface } from './surface/surface.ts'
import { hostWords } from './words.ts'

/** How long the page may take to answer, and how long after its frame has loaded. */
const ANSWER_MS = 10_000
const AFTER_LOAD_MS = 2_000

/**
 * Opens the connect page over yours, or in `container`. Nothing that is typed there ever reaches you: only ids, names and
 * codes do. There is one dialog: opened again for the same it gets the focus, and the callbacks of its first opening stay;
 * opened for something else it ends with the reason `replaced`.
 *
 * @throws TypeError when `baseURL` is no http address
 */
export function openLink(options: OpenLinkOptions): LinkHandle {
  if (options.container !== undefined) return openOne(options).handle
  const key = frameUrl(options, '').href
  if (dialog?.key === key) {
    dialog.one.focus()
    return dialog.one.handle
  }
  dialog?.one.replace()
  const one = openOne(options, () => {
    if (dialog?.one === one) dialog = undefined
  })
  dialog = { key, one }
  return one.handle
}

/** The dialog that is open. */
let dialog: { readonly key: string; readonly one: Opened } | undefined

interface Opened {
  readonly handle: LinkHandle
  focus(): void
  replace(): void
}

function openOne(options: OpenLinkOptions, onOver: () => void = () => undefined): Opened {
  const words = hostWords(options.lang)
  const session = newSession()
  const url = frameUrl(options, session)
  const iframe = createFrame(options.title ?? words.title)
  const visit: Visit = { status: 'loading', isShown: false, account: undefined, isOver: false }
  let resolve: (outcome: { account?: LinkedAccount }) => void
  const result = new Promise<{ account?: LinkedAccount }>((done) => {
    resolve = done
  })

  const end = (exit?: LinkExit) => {
    if (visit.isOver) return
    visit.isOver = true
    clearTimeout(timer)
    clearTimeout(loaded)
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
  const refuse = (code: 'frame_not_allowed' | 'frame_timeout') => {
    if (visit.isOver || visit.isShown || visit.status !== 'loading') return
    visit.status = 'failed'
    const why = code === 'frame_timeout' ? words.failed : words.notAllowed
    surface.fail(why)
    options.onError?.(failureOf(code, why))
  }
  const parts = {
    iframe,
    options,
    words,
    onLeave: leave,
    onFocus: (at: 'end' | 'start') => channel.send('focus', { at }),
  }
  const surface: Surface =
    options.container === undefined ? openDialog(parts) : openInline(options.container, parts)
  const channel = hearFrame({ iframe, options, surface, visit, end, origin: url.origin, session })
  const timer = setTimeout(() => refuse('frame_timeout'), ANSWER_MS)
  let loaded: ReturnType<typeof setTimeout> | undefined
  // A frame that its policy blocks loads as well: as an error page of the browser, which says nothing.
  iframe.addEventListener('load', () => {
    clearTimeout(loaded)
    loaded = setTimeout(() => refuse('frame_not_allowed'), AFTER_LOAD_MS)
  })
  iframe.src = url.href
  return {
    handle: { close: () => leave('host'), destroy: () => end(), result },
    focus: () => iframe.focus(),
    replace: () => leave('replaced'),
  }
}

interface Visit {
  /** The last state that was shown; `loading` before. */
  status: string
  /** The page has shown a state of its own. */
  isShown: boolean
  account: LinkedAccount | undefined
  isOver: boolean
}

interface Hearing {
  readonly iframe: HTMLIFrameElement
  readonly options: OpenLinkOptions
  readonly surface: Surface
  readonly visit: Visit
  readonly end: (exit: LinkExit) => void
  readonly origin: string
  readonly session: string
}

function hearFrame({ iframe, options, surface, visit, end, ...to }: Hearing): Channel {
  const { theme } = options
  const channel = openChannel(iframe, to, {
    ready: () =>
      channel.send('init', { ...initOf(options), theme: theme === 'system' ? undefined : theme }),
    opened({ status }) {
      const isFirst = !visit.isShown
      visit.isShown = true
      visit.status = status
      surface.show()
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
  })
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

const MESSAGES = {
  frame_not_allowed:
    'The connect page did not open in its frame. Is this origin in the allowedFrameOrigins of the workspace (or the allowedOrigins of the link), and is the link id right?',
  frame_timeout: 'The connect page did not answer within 10 seconds.',
}

function failureOf(code: keyof typeof MESSAGES, displayMessage: string): LinkFailure {
  return { code, message: MESSAGES[code], displayMessage, retryable: code === 'frame_timeout' }
}
