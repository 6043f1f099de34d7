import type { LinkExit } from '@linchpin/client'
import { closeWindow } from './close-window.ts'
import { createFrameSession } from './frame-session.ts'
import type { Host } from './host.ts'
import { createLiveRegion } from './live-region.ts'
import { addClickHandlers } from './page/click-handlers.ts'
import { getCurrentState } from './page/current-state.ts'
import { createPageEnhancer } from './page/enhance-page.ts'
import { followHistory } from './page/follow-history.ts'
import { createFrameBridge } from './page/frame-bridge.ts'
import { getMainElement } from './page/main-element.ts'
import { createPageNavigation } from './page/navigation.ts'
import { createPageLoader } from './page-loader.ts'
import { focusScreen } from './replace-page.ts'
import { createSessionStorage } from './session-storage.ts'
import { createSignIn } from './sign-in.ts'
import { createCredentialSubmitter } from './submit-credentials.ts'

/** Makes the connect page quick. Everything works without it: it asks for the same addresses and shows the same pages. */
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
