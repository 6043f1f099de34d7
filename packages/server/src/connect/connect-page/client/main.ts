import type { LinkExit, LinkInit } from '@linchpin/client'
import { enhanceFields, enhanceReveal, persistValues } from './enhance-fields.ts'
import { applySearch, enhanceChips, enhanceSearch } from './enhance-search.ts'
import { createFrameSession, createSessionStorage, type SessionStorage } from './frame-session.ts'
import type { createFrameBridge, Host, postToHost } from './host.ts'
import {
  createPageLoader,
  focusScreen,
  getCurrentState,
  getMainElement,
  type NavigateOptions,
  type PageLoader,
} from './screen.ts'
import {
  type CredentialSubmitter,
  createCredentialSubmitter,
  createSignIn,
  type SignIn,
} from './submit-forms.ts'

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

interface ClickHandlerOptions {
  readonly isFrame: boolean
  readonly navigation: Pick<PageNavigation, 'goTo'>
  readonly loader: Pick<PageLoader, 'submit'>
  readonly submitter: Pick<CredentialSubmitter, 'submit'>
  readonly signIn: Pick<SignIn, 'begin'>
  readonly host: () => Host | undefined
  readonly exit: (reason: 'closed' | 'done') => void
}

/** Handles clicks and form submissions by delegation, for every screen of the page. */
function addClickHandlers(options: ClickHandlerOptions): void {
  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target : null
    if (target !== null) handleClick(options, event, target)
  })
  document.addEventListener('submit', (event) => {
    if (event.target instanceof HTMLFormElement && !event.defaultPrevented)
      handleSubmit(options, event, event.target)
  })
}

function handleClick(
  { isFrame, navigation, host, exit }: ClickHandlerOptions,
  event: MouseEvent,
  target: Element,
) {
  if (target.closest('[data-exit]') && isFrame) {
    event.preventDefault()
    exit(target.closest('.round') ? 'closed' : 'done')
  }
  const fragmentLink = target.closest<HTMLAnchorElement>('a[href^="#"]')
  if (fragmentLink) {
    // A new fragment would drop the host's session from the URL and add a history entry.
    event.preventDefault()
    document.getElementById(fragmentLink.hash.slice(1))?.focus()
  }
  const link = target.closest<HTMLAnchorElement>('a[data-go]')
  if (!link || event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  const { key } = link.dataset
  if (key !== undefined) host()?.event('SELECT_INTEGRATION', { integration: key })
  link.ariaBusy = 'true'
  void navigation.goTo(new URL(link.href))
}

function handleSubmit(
  { isFrame, loader, submitter, signIn, host }: ClickHandlerOptions,
  event: SubmitEvent,
  form: HTMLFormElement,
) {
  if (form.dataset.form === 'sign-in' && signIn.begin(form)) event.preventDefault()
  if (form.dataset.form === 'open' && isFrame) {
    // A navigation would drop the host's session from the URL.
    event.preventDefault()
    loader.submit(form, event.submitter).catch(() => form.submit())
  }
  if (form.dataset.form !== 'connect') return
  event.preventDefault()
  host()?.event('SUBMIT_CREDENTIALS', { integration: getMainElement().dataset.key ?? '' })
  void submitter.submit(form, event.submitter)
}

/** Navigation between the states of the page. */
interface PageNavigation {
  /** Navigates to a URL after cancelling a running check; shows the result instead when it is too late to cancel. */
  goTo(url: URL, options?: NavigateOptions): Promise<void>
  /** Leaves a running submission. */
  leave(): void
  /** Applies the options of the host page. */
  init(linkInit: LinkInit): void
  /**
   * Loads the full list when the server filtered it, and filters it here, because another query needs the rows that the
   * server left out.
   */
  showFullList(): Promise<void>
}

interface PageNavigationOptions {
  readonly loader: PageLoader
  readonly submitter: Pick<CredentialSubmitter, 'cancel'>
  readonly signIn: Pick<SignIn, 'stop'>
  readonly storage: SessionStorage
}

function createPageNavigation({
  loader,
  submitter,
  signIn,
  storage,
}: PageNavigationOptions): PageNavigation {
  const goTo: PageNavigation['goTo'] = async (url, options = {}) => {
    const submissionId = await submitter.cancel()
    if (submissionId === undefined) return loader.navigate(url, options)
    const submissionUrl = getCurrentUrl()
    submissionUrl.searchParams.set('attempt', submissionId)
    return loader.navigate(submissionUrl, { historyMode: 'replace' })
  }
  return {
    goTo,
    leave() {
      signIn.stop()
      void goTo(withoutParams(getCurrentUrl(), 'attempt'), { historyMode: 'replace' })
    },
    init(linkInit) {
      const url = getCurrentUrl()
      const changedParams = getChangedParams(url, linkInit, storage)
      if (changedParams.length === 0) return
      for (const [name, value] of changedParams) url.searchParams.set(name, value)
      void goTo(url, { historyMode: 'replace', keepFocus: true })
    },
    async showFullList() {
      const { searchParams } = getCurrentUrl()
      const [query, category] = [searchParams.get('q') ?? '', searchParams.get('category') ?? '']
      if (query === '' && category === '') return
      await loader.navigate(withoutParams(getCurrentUrl(), 'q', 'category'), {
        historyMode: 'replace',
        keepFocus: true,
      })
      applySearch(getMainElement(), query, category)
    },
  }
}

function getCurrentUrl(): URL {
  return new URL(location.href)
}

function withoutParams(url: URL, ...names: readonly string[]): URL {
  for (const name of names) url.searchParams.delete(name)
  return url
}

/** The options that differ from the URL. `integration` applies once, since the person may have moved on before a reload. */
function getChangedParams(
  url: URL,
  linkInit: LinkInit,
  storage: SessionStorage,
): [string, string][] {
  const startedKey = `linchpin:begun:${url.hash}`
  const { integration, ...persistent } = linkInit
  const values = storage.get(startedKey) === undefined ? linkInit : persistent
  storage.set(startedKey, 'yes')
  return Object.entries(values).filter(
    ([name, value]) => value !== undefined && url.searchParams.get(name) !== value,
  )
}
