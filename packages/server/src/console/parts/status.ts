import type { IntegrationAccount } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import type { Words } from '../words/en.ts'
import { type IconName, icon } from './icons.ts'

/** How a connection is, for people. */
export interface ConnectionStatus {
  readonly label: string
  readonly tone: 'good' | 'warn' | 'bad' | 'quiet'
  readonly icon: IconName
  /** Who has to act; undefined if no one. */
  readonly actor?: 'customer' | 'team' | 'backend'
}

type StatusFields = Pick<IntegrationAccount, 'status'> & {
  readonly statusReason?: string | null | undefined
}

/** The status of a connection: the table of docs/console.md, which a test compares with the statuses of the API. */
export function describeStatus(
  { status, statusReason }: StatusFields,
  { statuses }: Words,
): ConnectionStatus {
  switch (status) {
    case 'active':
      if (statusReason === 'no_refresh_token')
        return { label: statuses.untilExpiry, tone: 'warn', icon: 'clock', actor: 'customer' }
      if (statusReason === 'unchecked')
        return { label: statuses.unchecked, tone: 'warn', icon: 'info', actor: 'team' }
      return { label: statuses.active, tone: 'good', icon: 'good' }
    case 'pending':
      return { label: statuses.pending, tone: 'warn', icon: 'clock', actor: 'backend' }
    case 'needs_reauth':
      return { label: statuses.needsReauth, tone: 'warn', icon: 'refresh', actor: 'customer' }
    case 'error':
      return { label: statuses.error, tone: 'bad', icon: 'error', actor: 'team' }
    case 'deleted':
      return { label: statuses.deleted, tone: 'quiet', icon: 'disconnect' }
    default:
      return { label: status, tone: 'quiet', icon: 'info' }
  }
}

/** A status in a row or beside a title: icon, colour and words. */
export function statusBadge(status: ConnectionStatus): Html {
  return html`<span class="status ${status.tone}">${icon(status.icon, 16)}<span>${status.label}</span></span>`
}
