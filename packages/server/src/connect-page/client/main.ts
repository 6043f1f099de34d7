import type { LinkExit } from '@linchpin/client'
import { addClickHandlers } from './click-handlers.ts'
import { createPageEnhancer } from './enhance-page.ts'
import { createFrameBridge } from './frame-bridge.ts'
import { createFrameSession } from './frame-session.ts'
import type { Host } from './host.ts'
import type { PageNavigation } from './navigation.ts'
import { createPageNavigation } from './navigation.ts'
import type { PageLoader } from './page-loader.ts'
import { createPageLoader } from './page-loader.ts'
import { getCurrentState, getMainElement } from './page-state.ts'
import { focusScreen } from './replace-page.ts'
import { createSessionStorage } from './session-storage.ts'
import { createSignIn } from './sign-in.ts'
import { closeWindow } from './sign-in-channel.ts'
import type { CredentialSubmitter } from './submit-credentials.ts'
import { createCredentialSubmitter } from './submit-credentials.ts'

/** Enhances the connect page, which also works without this script: it fetches the same URLs and shows the same pages. */
function start(isFrame: boolean): void {
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
  const enhancePage = createPageEnhancer({ isFrame, storage, signIn, host })
  const stop = () => {
    signIn.stop()
    submitter.abandon()
  }
  const exit = (reason: LinkExit['reason']) => {
    stop()
    currentHost?.exit({ reason, status: getCurrentState() })
  }

  addClickHandlers({ isFrame, navigation, submitter, signIn, host, exit })
  followHistory({ loader, submitter, navigation })
  if (isFrame)
    currentHost = createFrameBridge({
      onInit: navigation.init,
      onClose: stop,
      onEscape: () => exit('escape'),
    })
  const here = new URL(location.href)
  const hasSession = isFrame && frameSession.has(here)
  if (!hasSession) frameSession.store(here, getMainElement())
  currentHost?.post('ready', {})
  currentHost?.event('READY')
  if (hasSession) return void loader.navigate(here, { historyMode: 'none', keepFocus: true })
  enhancePage()
  void navigation.showFullList()
}

if (document.body.dataset.mode === 'closed') closeWindow(getMainElement())
else start(document.body.dataset.mode === 'frame')

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
