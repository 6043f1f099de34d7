import type { Attempt, AuditEvent } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { panel } from '../parts/content.ts'
import { subjectLink } from '../parts/subject-link.ts'
import { exactTime } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { View } from '../screen.ts'
import { explainAttempt } from './attempts.ts'
import { type RequestTableOptions, requestTable } from './request-rows.ts'

/** A request causes few others. */
const MANY = 50

/** What a request has left: requests, attempts to connect, and entries of the audit trail; undefined if there is nothing. */
export async function renderTrail(
  view: View,
  requestId: string,
  { isCompact = false }: RequestTableOptions = {},
): Promise<Html | undefined> {
  const { requests } = view.words
  const { logged, attempts, entries } = await readTrail(view, requestId, MANY)
  if (logged.length + attempts.length + entries.length === 0) return undefined
  return html`${logged.length === 0 ? '' : html`<section><h2 class="unseen">${requests.requests}</h2>${requestTable(view, logged, { isCompact })}</section>`}
${attempts.length === 0 ? '' : panel(requests.attempts, renderAttempts(view, attempts))}
${entries.length === 0 ? '' : panel(requests.audit, renderEntries(entries))}`
}

/** Whether a request has left anything: what has been typed may be anything. */
export async function hasTrail(view: View, requestId: string): Promise<boolean> {
  if (requestId.length > MAX_LENGTH) return false
  const { logged, attempts, entries } = await readTrail(view, requestId, 1)
  return logged.length + attempts.length + entries.length > 0
}

/** The API knows no longer IDs of requests. */
const MAX_LENGTH = 200

async function readTrail(view: View, requestId: string, limit: number) {
  const { api } = view
  // Not every role may read the audit trail.
  const mayAudit = whyNot(view, 'audit:read') === undefined
  const [logged, attempts, entries] = await Promise.all([
    api.requests.list({ requestId }).first(limit),
    api.attempts.list({ requestId }).first(limit),
    mayAudit ? api.audit.list({ requestId }).first(limit) : [],
  ])
  return { logged, attempts, entries }
}

function renderAttempts({ words }: View, attempts: readonly Attempt[]): Html {
  return html`<ul class="lines">${attempts.map(
    (attempt) =>
      html`<li><a href="/console/attempts?request=${encodeURIComponent(attempt.requestId ?? '')}">${attempt.integrationDefinitionName ?? words.attempts.unknownTool}</a> <code>${attempt.code}</code> <span class="quiet">${explainAttempt(attempt, words)}</span></li>
`,
  )}</ul>`
}

function renderEntries(entries: readonly AuditEvent[]): Html {
  return html`<ul class="lines">${entries.map(
    (entry) =>
      html`<li><code>${entry.action}</code> ${entry.subject === null ? '' : subjectLink(entry.subject)} <span class="quiet">${exactTime(entry.timestamp)}</span></li>
`,
  )}</ul>`
}
