import type { Host } from '../host.ts'
import type { Keys } from '../send-keys.ts'
import type { SignIn } from '../sign-in.ts'
import { mainOf } from './main-of.ts'
import type { Moves } from './moves.ts'

interface Hearers {
  readonly isFrame: boolean
  readonly moves: Pick<Moves, 'goTo'>
  readonly keys: Pick<Keys, 'send'>
  readonly signIn: Pick<SignIn, 'begin'>
  readonly host: () => Host | undefined
  readonly exit: (reason: 'closed' | 'done') => void
}

/** Hears what is pressed anywhere on the page, whatever it shows: links, forms, and the way out. */
export function hearPresses(hearers: Hearers): void {
  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target : null
    if (target !== null) hearClick(hearers, event, target)
  })
  document.addEventListener('submit', (event) => {
    if (event.target instanceof HTMLFormElement && !event.defaultPrevented)
      hearForm(hearers, event, event.target)
  })
}

function hearClick({ isFrame, moves, host, exit }: Hearers, event: MouseEvent, target: Element) {
  if (target.closest('[data-exit]') && isFrame) {
    event.preventDefault()
    exit(target.closest('.round') ? 'closed' : 'done')
  }
  const inside = target.closest<HTMLAnchorElement>('a[href^="#"]')
  if (inside) {
    // An address of its own would end the tie with the page around, and make a step of history.
    event.preventDefault()
    document.getElementById(inside.hash.slice(1))?.focus()
  }
  const link = target.closest<HTMLAnchorElement>('a[data-go]')
  if (!link || event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  const { key } = link.dataset
  if (key !== undefined) host()?.event('SELECT_INTEGRATION', { integration: key })
  link.ariaBusy = 'true'
  void moves.goTo(new URL(link.href))
}

function hearForm({ keys, signIn, host }: Hearers, event: SubmitEvent, form: HTMLFormElement) {
  if (form.dataset.form === 'sign-in' && signIn.begin(form)) event.preventDefault()
  if (form.dataset.form !== 'connect') return
  event.preventDefault()
  host()?.event('SUBMIT_CREDENTIALS', { integration: mainOf().dataset.key ?? '' })
  void keys.send(form)
}
