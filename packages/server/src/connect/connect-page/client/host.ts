import type {
  FrameMessages,
  LinkEventMeta,
  LinkEventName,
  LinkExit,
  LinkedAccount,
  LinkInit,
} from '@linchpin/client'
import { getMainElement } from './screen.ts'

/** The host page that embeds the frame. */
export interface Host {
  post<Type extends keyof FrameMessages>(type: Type, payload: FrameMessages[Type]): void
  event(name: LinkEventName, meta?: LinkEventMeta): void
  exit(exit: LinkExit): void
}

interface HostOptions {
  /** Origins that may embed the frame, from the server. */
  readonly origins: readonly string[]
  readonly onInit: (init: LinkInit) => void
  readonly onClose: () => void
  readonly onFocus: (at: unknown) => void
}

/**
 * Exchanges messages with the host page: only with our parent, only if its origin is listed, and with that exact target
 * origin. Supports our own protocol, identified by the session in the fragment, and Poozle's messages. Undefined when the
 * page is not embedded.
 */
function createHost({ origins, onInit, onClose, onFocus }: HostOptions): Host | undefined {
  if (parent === window) return undefined
  const fragment = new URLSearchParams(location.hash.slice(1))
  const session = fragment.get('session') ?? ''
  const hostOrigin = fragment.get('origin') ?? ''
  // Without an origin in the fragment, only the listed origin that is the parent receives the message.
  const poozleOrigins =
    hostOrigin === '' ? origins : origins.filter((origin) => origin === hostOrigin)
  const post: Host['post'] = (type, payload) => {
    if (session !== '' && origins.includes(hostOrigin))
      parent.postMessage({ source: 'linchpin', v: 1, session, type, payload }, hostOrigin)
    if (type === 'error') {
      const { code, displayMessage } = payload as FrameMessages['error']
      const validationErrors = [{ detail: displayMessage, problem_type: code }]
      postToPoozle({ messageType: 'SEND_VALIDATION_ERRORS_TO_PARENT', validationErrors })
    }
    if (type === 'exit') postToPoozle({ messageType: 'CLOSE_LINKING_FLOW' })
    if (type === 'ready') postToPoozle({ messageType: 'LINKING_FLOW_READY_FOR_LINK_TOKEN' })
  }
  const postToPoozle = (message: object) => {
    for (const origin of poozleOrigins) parent.postMessage(message, origin)
  }
  addEventListener('message', ({ data, origin, source }: MessageEvent<unknown>) => {
    if (source !== parent || !origins.includes(origin) || !isObject(data)) return
    const { messageType, type, payload } = data
    if (messageType === 'SEND_INFO_TO_IFRAME') onInit(parseInit(data))
    if (messageType === 'EXIT_POOZLE_LINK') onClose()
    const isLinchpinMessage = data.source === 'linchpin' && data.v === 1 && data.session === session
    if (!isLinchpinMessage || session === '' || origin !== hostOrigin || !isObject(payload)) return
    if (type === 'init') onInit(parseInit(payload))
    if (type === 'close') onClose()
    if (type === 'focus') onFocus(payload.at)
  })
  return {
    post,
    event: (name, meta = {}) => post('event', { name, meta }),
    exit: (exit) => post('exit', exit),
  }
}

function parseInit(values: Readonly<Record<string, unknown>>): LinkInit {
  const text = (name: string) => {
    const value = values[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const theme = text('theme')
  return {
    accountIdentifier: text('accountIdentifier'),
    redirectURL: text('redirectURL'),
    integration: text('integration'),
    lang: text('lang'),
    theme: theme === 'light' || theme === 'dark' ? theme : undefined,
  }
}

function isObject(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null
}

interface FrameBridgeOptions {
  readonly onInit: (init: LinkInit) => void
  readonly onClose: () => void
  readonly onEscape: () => void
}

/** Connects to the host page, reports the height, and handles Escape, which the host does not receive. */
export function createFrameBridge({
  onInit,
  onClose,
  onEscape,
}: FrameBridgeOptions): Host | undefined {
  const origins = (getMainElement().dataset.origins ?? '').split(' ').filter((one) => one !== '')
  const host = createHost({ origins, onInit, onClose, onFocus: focusEdge })
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) onEscape()
  })
  const postHeight = () => host?.post('resize', { height: measureContentHeight(getMainElement()) })
  new ResizeObserver(postHeight).observe(document.body)
  return host
}

/** Moves the focus that enters from the host page. */
function focusEdge(edge: unknown): void {
  const focusable = [
    ...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea'),
  ].filter((one) => one.offsetParent !== null && one.tabIndex >= 0)
  ;(edge === 'end' ? focusable.at(-1) : focusable[0])?.focus()
}

/** Posts the current state to the host page: the connected account, the error, and the height. */
export function postToHost(host: Host, main: HTMLElement): void {
  const { state = '', account, code } = main.dataset
  host.post('opened', { status: state })
  if (account !== undefined) {
    const linked: LinkedAccount = JSON.parse(account)
    host.event('CONNECTED', { integration: linked.integrationKey })
    host.post('success', { account: linked })
  }
  if (code !== undefined) {
    host.event('ERROR', { code })
    host.post('error', {
      code,
      message: `The connect page shows "${state}" because of ${code}.`,
      displayMessage: getScreenMessage(main),
      retryable: !NON_RETRYABLE_STATES.has(state),
    })
  }
  host.post('resize', { height: measureContentHeight(main) })
}

/** States that a retry cannot resolve. */
const NON_RETRYABLE_STATES = new Set([
  'expired',
  'full',
  'identifierFull',
  'notHere',
  'notOffered',
  'pickerEmpty',
  'redirectNotAllowed',
  'revoked',
  'sessionRefused',
  'sessionRequired',
  'unknownLink',
  'wrongAddress',
])

/** The error summary of a rejected form, else the title and text of the screen. Never contains entered values. */
export function getScreenMessage(main: HTMLElement): string {
  const summary = main.querySelector('#summary [data-sentence]')
  const parts = summary === null ? main.querySelectorAll('.head h1, .head p') : [summary]
  const isJapanese = document.documentElement.lang === 'ja'
  const [period, space] = isJapanese ? ['。', ''] : ['.', ' ']
  return [...parts]
    .map(({ textContent }) => (textContent ?? '').replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '')
    .map((text) => (SENTENCE_END.test(text) ? text : text + period))
    .join(space)
}

/** A sentence with final punctuation, also inside quotation or directional marks. */
const SENTENCE_END = /[.!?…。！？؟][\p{Pe}\p{Pf}\p{Cf}”"']*$/u

/** The height of the content without the stretched layout, in CSS pixels. */
function measureContentHeight(main: HTMLElement): number {
  const { style } = document.body
  style.minHeight = '0'
  main.style.flex = 'none'
  const footerHeight = document.querySelector('footer')?.offsetHeight ?? 0
  const height = main.offsetHeight + footerHeight
  style.minHeight = ''
  main.style.flex = ''
  return height
}
