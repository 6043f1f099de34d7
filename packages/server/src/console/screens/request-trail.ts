import type { Attempt, AuditEvent } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { panel } from '../parts/content.ts'
import { subjectLink } from '../parts/subject-link.ts'
import { exactTime } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { View } from '../screen.ts'
import { explainAttempt } from './attempts.ts'
import { type RequestTableOptions, requestTable } from './request-rows.ts'

/** A request causes few others, and so many entries of the audit trail are read around its time. */
const MANY = 50
const AUDIT_ENTRIES = 1_000
/** Entries are written with the request or, at the latest, when it times out. */
const AUDIT_MS = 2 * 60_000

/** What a request has left: requests, attempts to connect, and entries of the audit trail; undefined if there is nothing. */
export async function renderTrail(
  view: View,
  requestId: string,
  { isCompact = false }: RequestTableOptions = {},
): Promise<Html | undefined> {
  const { api, words } = view
  const { requests } = words
  const [logged, attempts] = await Promise.all([
    api.requests.list({ requestId }).first(MANY),
    api.attempts.list({ requestId }).first(MANY),
  ])
  const at = logged[0]?.at ?? attempts[0]?.at
  if (at === undefined) return undefined
  const entries = await listAuditEntries(view, requestId, Date.parse(at))
  return html`${logged.length === 0 ? '' : html`<section><h2 class="unseen">${requests.requests}</h2>${requestTable(view, logged, { isCompact })}</section>`}
${attempts.length === 0 ? '' : panel(requests.attempts, renderAttempts(view, attempts))}
${entries.length === 0 ? '' : panel(requests.audit, renderEntries(entries))}`
}

async function listAuditEntries(
  view: View,
  requestId: string,
  at: number,
): Promise<readonly AuditEvent[]> {
  if (whyNot(view, 'audit:read') !== undefined) return []
  const entries = await view.api.audit
    .list({
      from: new Date(at - AUDIT_MS).toISOString(),
      to: new Date(at + AUDIT_MS).toISOString(),
    })
    .first(AUDIT_ENTRIES)
  return entries.filter((entry) => entry.requestId === requestId)
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
