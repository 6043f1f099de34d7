import { type BulkJob, isLinchpinError } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { facts, linkButton, panel, submitButton } from '../parts/content.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Screen, Submission, View } from '../screen.ts'

const CONNECTIONS = '/console/connections'
export const JOBS = `${CONNECTIONS}/jobs`
const DISCONNECT = `${JOBS}/disconnect`
/** The most that a job takes. */
const MAX = 500

/** Begins a job for the selected connections. Disconnecting is confirmed before. */
export const bulkJobsScreen: Screen = {
  path: '/connections/jobs',
  show: async () => ({ location: CONNECTIONS }),
  actions: {
    '': begin,
    '/disconnect': disconnect,
  },
}

/** A list of connections with what can be done with those that are selected. */
export function selectionForm(view: View, rows: Html): Html {
  const { bulk } = view.words
  return html`<form method="post" action="${JOBS}" class="selection">${view.formFields(JOBS)}${rows}
<div class="bar" role="group" aria-label="${bulk.bar}"><p class="selected">${bulk.selected}</p><div class="buttons">
${submitButton({ text: bulk.check, icon: 'refresh', value: ['action', 'check'], disabledBecause: whyNot(view, 'accounts:reconnect') })}
${submitButton({ text: bulk.reconnect, icon: 'send', value: ['action', 'connect_session'], disabledBecause: whyNot(view, 'links:write') })}
${submitButton({ text: bulk.disconnect, icon: 'disconnect', value: ['action', 'delete'], disabledBecause: whyNot(view, 'accounts:write') })}</div></div></form>`
}

async function begin(submission: Submission): Promise<Answer> {
  const { form } = submission
  const ids = readIds(form)
  const refused = refuse(submission, ids)
  if (refused !== undefined) return refused
  const action = form.get('action')
  if (action === 'delete') return confirm(submission, ids)
  return create(submission, action === 'connect_session' ? action : 'check', ids)
}

function readIds(form: URLSearchParams): string[] {
  return [...new Set(form.getAll('id'))]
}

function refuse({ words }: View, ids: readonly string[]): Answer | undefined {
  if (ids.length > 0 && ids.length <= MAX) return undefined
  return backToList(ids.length === 0 ? words.bulk.noneSelected : words.bulk.tooMany)
}

function backToList(notice: string): Answer {
  return { location: CONNECTIONS, notice, noticeTone: 'alert' }
}

async function create(
  { api, words, formId }: Submission,
  action: 'check' | 'delete' | 'connect_session',
  integrationAccountIds: string[],
): Promise<Answer> {
  try {
    const job = await api.bulkJobs.create(
      { action, integrationAccountIds },
      { idempotencyKey: formId },
    )
    return { location: `${JOBS}/${job.bulkJobId}` }
  } catch (error) {
    if (isLinchpinError(error, 'unknown_reference')) return backToList(words.bulk.gone)
    if (isLinchpinError(error, 'bulk_job_limit')) return backToList(words.bulk.limit)
    throw error
  }
}

async function disconnect(submission: Submission): Promise<Answer> {
  const { form } = submission
  const ids = readIds(form)
  const refused = refuse(submission, ids)
  if (refused !== undefined) return refused
  if (form.get('number')?.trim() !== String(ids.length)) return confirm(submission, ids, true)
  return create(submission, 'delete', ids)
}

/** What would be disconnected, by integration. */
async function confirm(view: View, ids: string[], isWrong = false): Promise<Answer> {
  const { api, words } = view
  const { bulk } = words
  let plan: BulkJob
  try {
    plan = await api.bulkJobs.create({
      action: 'delete',
      integrationAccountIds: ids,
      dryRun: true,
    })
  } catch (error) {
    if (isLinchpinError(error, 'unknown_reference')) return backToList(bulk.gone)
    throw error
  }
  return {
    title: bulk.confirmTitle(ids.length),
    section: 'connections',
    status: isWrong ? 422 : undefined,
    parent: { href: CONNECTIONS, label: words.sections.connections },
    main: html`<div class="narrow"><p>${bulk.confirmText}</p>${await renderIntegrations(view, plan)}${renderConfirmation(view, ids, isWrong)}</div>`,
  }
}

async function renderIntegrations(
  { words, definitionNames }: View,
  { results }: BulkJob,
): Promise<Html> {
  const names = await definitionNames()
  const counts = new Map<string, number>()
  for (const { integrationDefinitionId: id } of results) counts.set(id, (counts.get(id) ?? 0) + 1)
  return panel(
    words.bulk.consequences,
    facts(
      [...counts].map(([id, count]) => [names.get(id)?.name ?? id, words.bulk.connections(count)]),
    ),
  )
}

function renderConfirmation({ words, formFields }: View, ids: string[], isWrong: boolean): Html {
  const { bulk } = words
  const invalid = html` aria-invalid="true" aria-describedby="number-error"`
  return html`<form method="post" action="${DISCONNECT}" class="stack">${formFields(DISCONNECT)}${ids.map((id) => html`<input type="hidden" name="id" value="${id}">`)}
<label class="field"><span>${bulk.typeNumber(ids.length)}</span><input name="number" inputmode="numeric" autocomplete="off" required${isWrong ? invalid : ''}></label>${isWrong ? html`<p class="error" id="number-error">${bulk.wrongNumber(ids.length)}</p>` : ''}
<div class="buttons">${linkButton({ text: bulk.cancel }, CONNECTIONS)}${submitButton({ text: bulk.confirm, icon: 'disconnect', kind: 'danger' })}</div></form>`
}
