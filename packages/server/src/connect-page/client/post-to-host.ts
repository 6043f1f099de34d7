import type { LinkedAccount } from '@linchpin/client'
import type { Host } from './host.ts'

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
  host.post('resize', { height: naturalHeight(main) })
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
export function naturalHeight(main: HTMLElement): number {
  const { style } = document.body
  style.minHeight = '0'
  main.style.flex = 'none'
  const footerHeight = document.querySelector('footer')?.offsetHeight ?? 0
  const height = main.offsetHeight + footerHeight
  style.minHeight = ''
  main.style.flex = ''
  return height
}
