// First: Turbo finds the policy when it is evaluated.
import './trusted-types.ts'
import * as Turbo from '@hotwired/turbo'
import { enhancePage } from './enhance.ts'
import { announceRows, followLog } from './follow.ts'
import { listenToKeys } from './keys.ts'
import { watchLive } from './live.ts'
import { openCode } from './open-code.ts'
import { enhancePalette } from './palette.ts'
import { fillPasskeyForms } from './passkey.ts'
import { followPreview } from './preview.ts'

Turbo.config.drive.progressBarDelay = 300
/** How often a refresh that has to wait for a form looks again, in milliseconds. */
const RETRY_MS = 1_000
/** From the response to a form until its page is shown, at most, in milliseconds: a busy computer is slow. */
const RENDER_MS = 30_000
/** How long a notice can be read, in milliseconds. */
const NOTICE_MS = 10_000

// A refresh leaves alone what the person is doing.
addEventListener('turbo:before-morph-element', (event) => {
  const { target } = event
  if (
    target instanceof HTMLElement &&
    target.matches('input, select, textarea, dialog[open]') &&
    isTouched(target)
  )
    event.preventDefault()
  else if (target instanceof HTMLElement && isNotice(target)) event.preventDefault()
})
addEventListener('turbo:before-morph-attribute', (event) => {
  const { attributeName } = (event as CustomEvent<{ attributeName: string }>).detail
  // Turbo creates a new element empty, and morphs it: only what was there before is the person's.
  const isNew = event.target instanceof HTMLDetailsElement && event.target.childElementCount === 0
  if ((attributeName === 'open' && !isNew) || attributeName === 'hidden') event.preventDefault()
})
addEventListener('turbo:render', (event) => {
  const { renderMethod } = (event as CustomEvent<{ renderMethod: string }>).detail
  if (renderMethod === 'morph') return
  showCurrentTab()
  if (!location.hash)
    document.querySelector<HTMLElement>('[autofocus], h1')?.focus({ preventScroll: true })
})
addEventListener('turbo:fetch-request-error', (event) => {
  event.preventDefault()
  showToast('Linchpin cannot be reached. What you typed is still here.')
})
// Before the page is changed, so that it is laid out once.
addEventListener('turbo:load', showCurrentTab, { once: true })
addEventListener('turbo:load', start)
// Turbo shows the top of the page, and the result of a form may be further down.
addEventListener('turbo:load', () => {
  document.querySelector('main [autofocus]')?.scrollIntoView({ block: 'nearest' })
})
// An invitation that is opened in a tab that shows the page already changes only the fragment.
addEventListener('hashchange', openCode)
addEventListener('turbo:render', () => {
  enhance()
  announceRows()
  enhancePalette()
})
listenToKeys((path) => Turbo.visit(path))

function start(): void {
  enhance()
  endNotice()
  enhancePalette()
  watchLive(refresh)
  followLog(refresh)
  openCode()
  followPreview()
}

// A refresh would take the place of the response to a form until that is shown.
let submission: 'none' | 'sent' | 'answered' = 'none'
addEventListener('turbo:submit-start', () => {
  submission = 'sent'
})
addEventListener('turbo:render', endSubmission)
addEventListener('turbo:submit-end', (event) => {
  const { success, fetchResponse } = (
    event as CustomEvent<{ success?: boolean; fetchResponse?: unknown }>
  ).detail
  // What was stored leaves the page; a refresh would keep it as something that is being typed.
  if (success)
    for (const field of (event.target as Element).querySelectorAll<HTMLInputElement>(
      'input[type=password]',
    ))
      field.value = ''
  submission = 'answered'
  // Without a response, or with one that is no page, nothing is shown.
  setTimeout(endSubmission, fetchResponse === undefined ? 0 : RENDER_MS)
})

function endSubmission(): void {
  if (submission === 'answered') submission = 'none'
}

function refresh(): void {
  if (submission !== 'none') setTimeout(refresh, RETRY_MS)
  // At once: a form that is sent before the visit begins would be aborted by it.
  else Turbo.session.debouncedRefresh(document.baseURI)
}

function enhance(): void {
  enhancePage(showToast)
  fillPasskeyForms()
}

/** On phones, the tabs may be wider than the page. A refresh leaves them where the person has moved them. */
function showCurrentTab(): void {
  const tab = document.querySelector<HTMLElement>('.tabs [aria-current]')
  const tabs = tab?.parentElement
  if (tab && tabs)
    tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2
}

function isTouched(field: HTMLElement): boolean {
  if (field === document.activeElement) return true
  if (field instanceof HTMLDialogElement) return true
  if (field instanceof HTMLInputElement && (field.type === 'checkbox' || field.type === 'radio'))
    return field.checked !== field.defaultChecked
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)
    return field.type !== 'hidden' && field.value !== field.defaultValue
  return field instanceof HTMLSelectElement
}

function showToast(text: string): void {
  const toast = document.querySelector('.toast')
  if (toast === null) return
  toast.textContent = text
  endNotice()
}

/** A refresh brings no notice, and must not take away the one that the person reads. */
function isNotice(element: HTMLElement): boolean {
  return element.matches('.toast:not(:empty)')
}

let noticeTimer: ReturnType<typeof setTimeout> | undefined

/** Notices stay for NOTICE_MS. What went wrong stays until the next page. */
function endNotice(): void {
  clearTimeout(noticeTimer)
  noticeTimer = setTimeout(() => {
    const toast = document.querySelector('.toast:not([data-stays])')
    if (toast?.matches(':hover')) endNotice()
    else toast?.replaceChildren()
  }, NOTICE_MS)
}
