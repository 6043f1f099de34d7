import type { LinkExit } from '@linchpin/client'
import { endWindow } from './closed-window.ts'
import type { Host } from './host.ts'
import { createKept } from './kept.ts'
import { createSay } from './live-words.ts'
import { createLoader } from './load-page.ts'
import { createDress } from './page/dress.ts'
import { followHistory } from './page/follow-history.ts'
import { mainOf } from './page/main-of.ts'
import { createMoves } from './page/moves.ts'
import { hearPresses } from './page/presses.ts'
import { standInFrame } from './page/stand-in-frame.ts'
import { stateShown } from './page/state-shown.ts'
import { createKeys } from './send-keys.ts'
import { createSignIn } from './sign-in.ts'
import { focusScreen } from './swap.ts'
import { createFrameVisit } from './visit.ts'

/** Makes the connect page quick. Everything works without it: it asks for the same addresses and shows the same pages. */
function start(isFrame: boolean): void {
  const kept = createKept()
  const visit = createFrameVisit(kept)
  let around: Host | undefined
  const host = () => around
  const onLeave = () => moves.leave()
  const onArrive = (isQuiet: boolean) => {
    signIn.stop()
    dress()
    if (!isQuiet) focusScreen()
  }
  const loader = createLoader({ isFrame, visit, onArrive })
  const keys = createKeys({ loader, kept, say: createSay(), onLeave })
  const signIn = createSignIn({ isFrame, loader, host, onLeave })
  const moves = createMoves({ loader, keys, signIn, kept })
  const dress = createDress({ isFrame, kept, signIn, host })
  const stop = () => {
    signIn.stop()
    keys.abandon()
  }
  const exit = (reason: LinkExit['reason']) => {
    stop()
    around?.exit({ reason, status: stateShown() })
  }

  hearPresses({ isFrame, moves, keys, signIn, host, exit })
  followHistory({ loader, keys, moves })
  if (isFrame)
    around = standInFrame({ onInit: moves.init, onClose: stop, onEscape: () => exit('escape') })
  const here = new URL(location.href)
  const isKnown = isFrame && visit.isKept(here)
  if (!isKnown) visit.take(here, mainOf())
  around?.post('ready', {})
  around?.event('READY')
  if (isKnown) return void loader.go(here, { how: 'none', isQuiet: true })
  dress()
  void moves.widen()
}

if (document.body.dataset.mode === 'closed') endWindow(mainOf())
else start(document.body.dataset.mode === 'frame')
