import { type Channel, openChannel } from './channel.ts'
import { openDialog } from './dialog.ts'
import { getHostTexts } from './host-texts.ts'
import type { LinkExit, LinkedAccount, LinkFailure } from './messages.ts'
import { buildFrameUrl, type LinkHandle, type OpenLinkOptions } from './options.ts'
import { openInline, type Surface } from './surface.ts'
import { watchLoad } from './watch-load.ts'

/** An open page, for the code that opens pages. */
export interface OpenFrame {
  readonly handle: LinkHandle
  /** The page did not load. */
  hasFailed(): boolean
  focus(): void
  replace(): void
}

/** Opens the page once; calls `onOver` when everything is removed, before the callbacks of the host run. */
export function openFrame(options: OpenLinkOptions, onClosed: () => void): OpenFrame {
  const texts = getHostTexts(options.lang)
  const session = generateSession()
  const url = buildFrameUrl(options, session)
  const iframe = createFrame(options.title ?? texts.title)
  const state: FrameState = {
    status: 'loading',
    isShown: false,
    hasFailed: false,
    account: undefined,
    isClosed: false,
  }
  let resolve: (outcome: { account?: LinkedAccount }) => void
  const result = new Promise<{ account?: LinkedAccount }>((done) => {
    resolve = done
  })

  const end = (exit?: LinkExit) => {
    if (state.isClosed) return
    state.isClosed = true
    stopWaiting()
    stopWatching()
    channel.send('close', {})
    channel.stop()
    surface.remove()
    onClosed()
    if (exit !== undefined) {
      options.onEvent?.('EXIT', { reason: exit.reason, status: exit.status })
      options.onExit?.(exit)
    }
    resolve(state.account === undefined ? {} : { account: state.account })
  }
  const closeWith = (reason: LinkExit['reason']) => end({ reason, status: state.status })
  const fail = (failure: LinkFailure) => {
    if (state.isClosed || state.isShown) return
    state.status = 'failed'
    state.hasFailed = true
    surface.fail(failure.displayMessage)
    options.onError?.(failure)
  }
  const onFocus = (at: 'end' | 'start') => channel.send('focus', { at })
  const parts = { iframe, options, texts, onDismiss: closeWith, onFocus }
  const surface: Surface =
    options.container === undefined ? openDialog(parts) : openInline(options.container, parts)
  const stopWaiting = watchLoad({ iframe, url, session, texts, onFailure: fail })
  const onShown = () => {
    stopWaiting()
    surface.show()
  }
  const channel = listenToFrame({ iframe, options, surface, state, end, onShown, url, session })
  const stopWatching = watchRemoval(iframe, () => closeWith('host'))
  iframe.src = url.href
  return {
    handle: { close: () => closeWith('host'), destroy: () => end(), result },
    hasFailed: () => state.hasFailed && !state.isShown,
    focus: () => iframe.focus(),
    replace: () => closeWith('replaced'),
  }
}

interface FrameState {
  /** The last state that was shown; `loading` before. */
  status: string
  /** The page has reported its first state. */
  isShown: boolean
  /** Waiting for the page timed out. */
  hasFailed: boolean
  account: LinkedAccount | undefined
  isClosed: boolean
}

interface FrameListenerOptions {
  readonly iframe: HTMLIFrameElement
  readonly options: OpenLinkOptions
  readonly surface: Surface
  readonly state: FrameState
  readonly end: (exit: LinkExit) => void
  readonly onShown: () => void
  readonly url: URL
  readonly session: string
}

function listenToFrame({
  iframe,
  options,
  surface,
  state,
  end,
  onShown,
  ...target
}: FrameListenerOptions): Channel {
  const { theme } = options
  const channel = openChannel(
    iframe,
    { origin: target.url.origin, session: target.session },
    {
      ready: () =>
        channel.send('init', {
          ...toInitMessage(options),
          theme: theme === 'system' ? undefined : theme,
        }),
      opened({ status }) {
        const isFirst = !state.isShown
        state.isShown = true
        state.status = status
        onShown()
        if (isFirst) options.onReady?.()
      },
      event: ({ name, meta }) => options.onEvent?.(name, meta),
      success({ account }) {
        // A reloaded page reports it again.
        if (state.account?.integrationAccountId === account.integrationAccountId) return
        state.account = account
        state.status = 'connected'
        options.onSuccess?.(account)
      },
      error: (failure) => options.onError?.(failure),
      exit: end,
      resize: ({ height }) => surface.resize(height),
    },
  )
  return channel
}

function toInitMessage({ accountIdentifier, redirectURL, integration, lang }: OpenLinkOptions) {
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
function generateSession(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

/**
 * Calls back when other code removes an element from the page. Moving it within the page does not count. Returns a
 * function that stops watching.
 */
function watchRemoval(element: Element, onRemoved: () => void): () => void {
  const observer = new MutationObserver(() => {
    if (element.isConnected) return
    observer.disconnect()
    onRemoved()
  })
  let root = element.getRootNode()
  observer.observe(root, { childList: true, subtree: true })
  // Mutations inside a shadow tree are not observable from outside, and vice versa.
  while (root instanceof ShadowRoot) {
    root = root.host.getRootNode()
    observer.observe(root, { childList: true, subtree: true })
  }
  return () => observer.disconnect()
}
