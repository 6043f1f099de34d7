import type {
  FrameMessages,
  LinkEventMeta,
  LinkEventName,
  LinkExit,
  LinkInit,
} from '@linchpin/client'

/** The host page that embeds the frame. */
export interface Host {
  post<Type extends keyof FrameMessages>(type: Type, payload: FrameMessages[Type]): void
  event(name: LinkEventName, meta?: LinkEventMeta): void
  exit(exit: LinkExit): void
}

export interface HostOptions {
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
export function createHost({ origins, onInit, onClose, onFocus }: HostOptions): Host | undefined {
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
