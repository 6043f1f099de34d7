import type { Customer, ErasureReceipt } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner, copyable, facts, linkButton, panel, submitButton } from '../parts/content.ts'
import { customerPath, encodeIdentifier } from '../parts/customer-link.ts'
import { dialog } from '../parts/dialog.ts'
import { formatNumber } from '../parts/table.ts'
import { exactTime } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Submission, View } from '../screen.ts'

const PATH = '/console/customer/erase'
/** The API answers after at most 20 seconds; a longer erasure continues in the background. */
const ERASE_MS = 30_000
/** Typed for an identifier of which nothing can be seen. */
const ERASE_WORD = 'erase'

/** The button, and the dialog that lists what goes and what stays. */
export function renderErasure(
  view: View,
  identifier: string,
  customer: Customer | undefined,
  form: (content: Html) => Html,
): Html {
  const { words } = view
  const { erasure } = words
  const item = (text: string) => html`<li>${text}</li>`
  return dialog({
    id: 'erase',
    trigger: {
      text: erasure.open,
      icon: 'trash',
      disabledBecause: whyNot(view, 'accounts:write'),
    },
    title: erasure.title,
    content: html`<div class="stack"><div><b>${erasure.goes}</b><ul class="bullets">${[erasure.connections(customer?.connections ?? 0), ...erasure.whatGoes].map(item)}</ul></div>
<div><b>${erasure.stays}</b><ul class="bullets">${erasure.whatStays.map(item)}</ul></div>
<p>${erasure.final} <a href="/docs/erasure">${erasure.more}</a></p>
${form(html`<label class="field"><span>${words.connection.typeToConfirm(toTyped(identifier))}</span><input name="confirmation" autocomplete="off" autocapitalize="off" spellcheck="false" required></label>
<div class="buttons">${submitButton({ text: erasure.submit, icon: 'trash', kind: 'danger' })}</div>`)}</div>`,
    words,
  })
}

/** What a person can see of an identifier, and type: without invisible characters and with single spaces. */
function toTyped(text: string): string {
  const typed = text
    .normalize('NFC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return typed === '' ? ERASE_WORD : typed
}

/** Erases the customer, or looks again whether that has finished. */
export async function eraseCustomer(view: Submission): Promise<Answer> {
  const { api, words, query, form } = view
  const accountIdentifier = query.get('identifier') ?? ''
  const confirmation = form.get('confirmation') ?? ''
  if (confirmation.trim() === '' || toTyped(confirmation) !== toTyped(accountIdentifier))
    return {
      location: customerPath(accountIdentifier),
      notice: words.connection.notConfirmed,
      noticeTone: 'alert',
    }
  const receipt = await api.customers.erase({ accountIdentifier }, { timeoutMs: ERASE_MS })
  const isRunning = receipt.status === 'running'
  const { erasure } = words
  return {
    title: isRunning ? erasure.runningTitle : erasure.finishedTitle,
    section: 'customers',
    parent: { href: '/console/customers', label: words.sections.customers },
    banner: renderBanner(view, receipt),
    main: html`<div class="stack form">${isRunning ? renderAgain(view, accountIdentifier, confirmation) : ''}
${panel(erasure.receipt, renderReceipt(view, receipt))}
<div class="buttons">${linkButton({ text: erasure.back }, '/console/customers')}</div></div>`,
  }
}

function renderBanner({ words }: View, { status, revocations }: ErasureReceipt): Html {
  const { erasure } = words
  if (status === 'running')
    return banner('info', { title: erasure.runningBanner, text: erasure.runningText })
  const left = revocations.failed + revocations.unsupported
  return left === 0
    ? banner('good', { title: erasure.done })
    : banner('warn', { title: erasure.tokensLeft(left), text: erasure.tokensLeftText })
}

/** The script submits it by itself. */
function renderAgain(view: View, identifier: string, confirmation: string): Html {
  const { words } = view
  return html`<form method="post" action="${PATH}?identifier=${encodeIdentifier(identifier)}" data-again>${view.formFields(PATH)}<input type="hidden" name="confirmation" value="${confirmation}">${submitButton({ text: words.erasure.lookAgain, icon: 'refresh' })}</form>`
}

type ErasedKind = keyof ErasureReceipt['erased'] | keyof ErasureReceipt['revocations']

function renderReceipt({ words }: View, receipt: ErasureReceipt): Html {
  const { erasure } = words
  // A kind without words is a type error.
  const kinds: Readonly<Record<ErasedKind, string>> = erasure.kinds
  const counts = Object.entries({ ...receipt.erased, ...receipt.revocations })
    .filter(([, count]) => count > 0)
    .map(
      ([kind, count]) =>
        [
          kinds[kind as ErasedKind],
          html`<span class="number">${formatNumber(count)}</span>`,
        ] as const,
    )
  const { createdAt, finishedAt } = receipt
  return html`<div class="stack">${facts([
    [erasure.requested, exactTime(createdAt)],
    [erasure.finished, finishedAt === null ? undefined : exactTime(finishedAt)],
    ['ID', copyable(receipt.erasureId, words)],
  ])}<h3>${erasure.erased}</h3>${counts.length === 0 ? html`<p class="quiet">${erasure.nothing}</p>` : facts(counts)}<p class="quiet">${erasure.keep}</p></div>`
}
