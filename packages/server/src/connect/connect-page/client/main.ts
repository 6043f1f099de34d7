import type { LinkExit } from '@linchpin/client'
import { addClickHandlers } from './click-handlers.ts'
import { enhanceChips } from './enhance-chips.ts'
import { enhanceFields, enhanceReveal } from './enhance-fields.ts'
import { enhanceSearch } from './enhance-search.ts'
import { createFrameSession, createSessionStorage, type SessionStorage } from './frame-session.ts'
import type { createFrameBridge, Host, postToHost } from './host.ts'
import { createPageNavigation, type PageNavigation } from './navigation.ts'
import { createPageLoader, type PageLoader } from './page-loader.ts'
import { persistValues } from './persist-values.ts'
import { focusScreen, getCurrentState, getMainElement } from './screen.ts'
import { createSignIn, type SignIn } from './sign-in.ts'
import { type CredentialSubmitter, createCredentialSubmitter } from './submit-credentials.ts'

/** What the page needs in a frame, to exchange messages with its host page. */
export interface HostBridge {
  readonly createFrameBridge: typeof createFrameBridge
  readonly postToHost: typeof postToHost
}

/**
 * Enhances the connect page, which also works without this script: it fetches the same URLs and shows the same pages.
 * `bridge` in a frame only.
 */
export function startPage(bridge?: HostBridge): void {
  const isFrame = bridge !== undefined
  const storage = createSessionStorage()
  const frameSession = createFrameSession(storage)
  let currentHost: Host | undefined
  const host = () => currentHost
  const onLeave = () => navigation.leave()
  const onLoaded = (keepFocus: boolean) => {
    signIn.stop()
    enhancePage()
    if (!keepFocus) focusScreen()
  }
  const loader = createPageLoader({ isFrame, frameSession, onLoaded })
  const submitter = createCredentialSubmitter({
    loader,
    storage,
    announce: createLiveRegion(),
    onLeave,
  })
  const signIn = createSignIn({ isFrame, loader, host, onLeave })
  const navigation = createPageNavigation({ loader, submitter, signIn, storage })
  const enhancePage = createPageEnhancer({ bridge, storage, signIn, host })
  const stop = () => {
    signIn.stop()
    submitter.abandon()
  }
  const exit = (reason: LinkExit['reason']) => {
    stop()
    currentHost?.exit({ reason, status: getCurrentState() })
  }

  addClickHandlers({ isFrame, loader, navigation, submitter, signIn, host, exit })
  followHistory({ loader, submitter, navigation })
  currentHost = bridge?.createFrameBridge({
    onInit: navigation.init,
    onClose: stop,
    onEscape: () => exit('escape'),
  })
  const currentUrl = new URL(location.href)
  const hasSession = isFrame && frameSession.has(currentUrl)
  if (!hasSession) frameSession.store(currentUrl, getMainElement())
  currentHost?.post('ready', {})
  currentHost?.event('READY')
  if (hasSession) return void loader.navigate(currentUrl, { historyMode: 'none', keepFocus: true })
  enhancePage()
  void navigation.showFullList()
}

/** Creates an ARIA live region. Returns the function that announces a text. */
function createLiveRegion(): (text: string) => void {
  const region = document.createElement('div')
  region.className = 'unseen'
  region.setAttribute('role', 'status')
  document.body.append(region)
  return (text) => {
    region.textContent = text
  }
}

interface HistoryOptions {
  readonly loader: PageLoader
  readonly submitter: Pick<CredentialSubmitter, 'abandon'>
  readonly navigation: Pick<PageNavigation, 'goTo'>
}

/** Loads the page of the current URL when the browser's back and forward buttons change it. */
function followHistory({ loader, submitter, navigation }: HistoryOptions): void {
  const getCurrentUrl = () => new URL(location.href)
  addEventListener('popstate', () => void navigation.goTo(getCurrentUrl(), { historyMode: 'none' }))
  addEventListener('pagehide', () => submitter.abandon())
  // Restored from the back-forward cache, for example on the way back from the provider: reload the state.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void loader.navigate(getCurrentUrl(), { historyMode: 'none' })
  })
}

interface PageEnhancerOptions {
  readonly bridge: HostBridge | undefined
  readonly storage: SessionStorage
  readonly signIn: Pick<SignIn, 'resume'>
  readonly host: () => Host | undefined
}

/** Enhances the screen that the server rendered, resumes a pending sign-in, and notifies the host page. */
function createPageEnhancer({ bridge, storage, signIn, host }: PageEnhancerOptions): () => void {
  let hasOpened = false
  // A press that an option of the host page interrupts is repeated.
  let pressesLeft = 3
  return () => {
    const main = getMainElement()
    enhanceReveal(main)
    enhanceFields(main)
    persistValues(main, storage)
    enhanceSearch(main)
    enhanceChips(main)
    scheduleReturn(main, storage)
    if (bridge !== undefined && parent !== window)
      for (const exit of main.querySelectorAll<HTMLElement>('[data-exit]')) exit.hidden = false
    const { state, attempt } = main.dataset
    if (attempt !== undefined && (state === 'waitingSignIn' || state === 'stillRunning'))
      signIn.resume(attempt)
    const currentHost = host()
    if (currentHost === undefined) return
    if (!hasOpened) currentHost.event('OPEN')
    bridge?.postToHost(currentHost, main)
    // Only listed origins can show the frame, and the person pressed a button there.
    if (state === 'sessionStart' && pressesLeft-- > 0) main.querySelector('form')?.requestSubmit()
    hasOpened = true
  }
}

const RETURN_MS = 2_000

/**
 * Returns to the product after two seconds, unless the person presses a key, touches the page or asks to stay. Does so once
 * per account: a person who comes back stays.
 */
function scheduleReturn(main: HTMLElement, storage: SessionStorage): void {
  const note = main.querySelector<HTMLElement>('[data-returning]')
  const status = note?.querySelector<HTMLElement>('[data-text]')
  const link = main.querySelector<HTMLAnchorElement>('.actions [data-exit]')
  const key = `linchpin:returned:${main.dataset.attempt}`
  if (!note || !status || !link || storage.get(key) !== undefined) return
  storage.set(key, 'yes')
  note.hidden = false
  // A status is announced when its text changes.
  status.textContent = status.dataset.text ?? ''
  const listeners = new AbortController()
  const timer = setTimeout(() => {
    stay()
    if (main.isConnected) location.assign(link.href)
  }, RETURN_MS)
  const stay = () => {
    clearTimeout(timer)
    listeners.abort()
    if (note.contains(document.activeElement)) link.focus()
    // Keeps its place: the buttons must not move under the pointer.
    note.style.visibility = 'hidden'
  }
  for (const type of ['click', 'keydown', 'pointerdown', 'wheel'])
    addEventListener(type, stay, { signal: listeners.signal })
}
