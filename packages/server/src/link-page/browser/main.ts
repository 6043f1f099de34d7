import type { LinkInit } from '@linchpin/client'
import { endWindow } from './closed-window.ts'
import { enhanceFields } from './faults.ts'
import { createHost, type Host } from './host.ts'
import { keepValues } from './keep-values.ts'
import { createKept } from './kept.ts'
import { createSay } from './live-words.ts'
import { createLoader, type GoOptions } from './load-page.ts'
import { enhanceReveal } from './reveal.ts'
import { enhanceSearch, narrowTo } from './search-list.ts'
import { createKeys } from './send-keys.ts'
import { createSignIn } from './sign-in.ts'
import { focusScreen } from './swap.ts'
import { naturalHeight, tellHost } from './tell-host.ts'
import { createFrameVisit } from './visit.ts'
import { walkChips } from './walk-chips.ts'

/** Makes the connect page quick. Everything works without it: it asks for the same addresses and shows the same pages. */
function start(isFrame: boolean): void {
  const kept = createKept()
  const say = createSay()
  const visit = createFrameVisit(kept)
  let host: Host | undefined
  let isOpen = false
  const here = () => new URL(location.href)
  const loader = createLoader({ isFrame, visit, kept, onArrive: (isQuiet) => arrive(isQuiet) })
  /** Goes elsewhere. What is being checked is taken back first; when it is too late for that, how it stands is shown. */
  const goTo = async (url: URL, options: GoOptions = {}) => {
    const attempt = await keys.takeBack()
    if (attempt === undefined) return loader.go(url, options)
    const there = here()
    there.searchParams.set('attempt', attempt)
    return loader.go(there, { how: 'replace' })
  }
  const leave = () => {
    signIn.stop()
    const url = here()
    url.searchParams.delete('attempt')
    void goTo(url, { how: 'replace' })
  }
  const keys = createKeys({ loader, kept, say, onLeave: leave })
  const signIn = createSignIn({ isFrame, loader, host: () => host, onLeave: leave })

  const dress = () => {
    const main = mainOf()
    enhanceReveal(main)
    enhanceFields(main)
    keepValues(main, kept)
    enhanceSearch(main)
    walkChips(main)
    if (isFrame && parent !== window)
      for (const exit of main.querySelectorAll<HTMLElement>('[data-exit]')) exit.hidden = false
    const { state, attempt } = main.dataset
    if (attempt !== undefined && (state === 'waitingSignIn' || state === 'stillRunning'))
      signIn.resume(attempt)
    if (host === undefined) return
    if (!isOpen) host.event('OPEN')
    isOpen = true
    tellHost(host, main)
  }
  const arrive = (isQuiet: boolean) => {
    signIn.stop()
    dress()
    if (!isQuiet) focusScreen()
  }
  const init = (given: LinkInit) => {
    const url = here()
    // Which tool to begin with counts once: after a reload the person may be elsewhere.
    const begun = `linchpin:begun:${url.hash}`
    const { integration, ...lasting } = given
    const wanted = kept.get(begun) === undefined ? given : lasting
    kept.set(begun, 'yes')
    const news = Object.entries(wanted).filter(
      ([name, value]) => value !== undefined && url.searchParams.get(name) !== value,
    )
    if (news.length === 0) return
    for (const [name, value] of news) url.searchParams.set(name, value)
    void goTo(url, { how: 'replace', isQuiet: true })
  }
  /** A list that the server narrowed lacks the rows that another word would show. */
  const widen = async () => {
    const url = here()
    const [query = '', category = ''] = ['q', 'category'].map(
      (name) => url.searchParams.get(name) ?? '',
    )
    if (query === '' && category === '') return
    url.searchParams.delete('q')
    url.searchParams.delete('category')
    await loader.go(url, { how: 'replace', isQuiet: true })
    narrowTo(mainOf(), query, category)
  }
  const stop = () => {
    signIn.stop()
    keys.abandon()
  }
  const exit = (reason: 'closed' | 'done' | 'escape' | 'host') => {
    stop()
    host?.exit({ reason, status: mainOf().dataset.state ?? '' })
  }

  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target : null
    if (target?.closest('[data-exit]') && isFrame) {
      event.preventDefault()
      exit(target.closest('.round') ? 'closed' : 'done')
    }
    const inside = target?.closest<HTMLAnchorElement>('a[href^="#"]')
    if (inside) {
      // An address of its own would end the tie with the page around, and make a step of history.
      event.preventDefault()
      document.getElementById(inside.hash.slice(1))?.focus()
    }
    const link = target?.closest<HTMLAnchorElement>('a[data-go]')
    if (!link || event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    const { key } = link.dataset
    if (key !== undefined) host?.event('SELECT_INTEGRATION', { integration: key })
    link.ariaBusy = 'true'
    void goTo(new URL(link.href))
  })
  document.addEventListener('submit', (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || event.defaultPrevented) return
    if (form.dataset.form === 'sign-in' && signIn.begin(form)) event.preventDefault()
    if (form.dataset.form !== 'connect') return
    event.preventDefault()
    host?.event('SUBMIT_CREDENTIALS', { integration: mainOf().dataset.key ?? '' })
    void keys.send(form)
  })
  addEventListener('popstate', () => void goTo(here(), { how: 'none' }))
  addEventListener('pagehide', () => keys.abandon())
  // Back from the provider by the browser's own button: what is shown is old.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void loader.go(here(), { how: 'none' })
  })

  if (isFrame) {
    const origins = (mainOf().dataset.origins ?? '').split(' ').filter((one) => one !== '')
    host = createHost({ origins, onInit: init, onClose: stop, onFocus: focusFrom })
    addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
      exit('escape')
    })
    new ResizeObserver(() => host?.post('resize', { height: naturalHeight(mainOf()) })).observe(
      document.body,
    )
  }
  const known = isFrame && visit.isKept(here())
  if (!known) visit.take(here(), mainOf())
  host?.post('ready', {})
  host?.event('READY')
  if (known) void loader.go(here(), { how: 'none', isQuiet: true })
  else {
    dress()
    void widen()
  }
}

function mainOf(): HTMLElement {
  return document.querySelector('main') ?? document.body
}

/** The focus comes in from the page around. */
function focusFrom(at: unknown): void {
  const all = [
    ...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea'),
  ].filter((one) => one.offsetParent !== null && one.tabIndex >= 0)
  ;(at === 'end' ? all.at(-1) : all[0])?.focus()
}

const main = mainOf()
if (document.body.dataset.mode === 'closed') endWindow(main)
else start(document.body.dataset.mode === 'frame')
