import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { AccountId } from '../../accounts/accounts/account.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import {
  bytes,
  defineResource,
  id,
  nullable,
  type RowOf,
  text,
  time,
  type ValuesOf,
} from '../../platform/storage/define-resource.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { LinkId } from '../links/link.ts'

const fields = {
  /** Generated with the form: 128 random bits in base64url. A form can be submitted once. */
  submissionId: { column: 'attempt_id', type: text('none') },
  /** SHA-256 of the secret of its page session. */
  sessionHash: { column: 'visit_hash', type: bytes('none') },
  /** Null in a connect session without a link. */
  linkId: { column: 'link_id', type: nullable(id<LinkId>()) },
  /** The connect session that the form belongs to; null without one. */
  connectSessionId: { column: 'connect_session_id', type: nullable(id<Id<'cns'>>()) },
  workspaceId: { column: 'workspace_id', type: id<WorkspaceId>() },
  definitionId: { column: 'definition_id', type: id<DefinitionId>() },
  authType: { column: 'auth_type', type: text('none'), sample: 'Token' },
  kind: {
    column: 'kind',
    type: text<'credentials' | 'sign_in'>('none'),
    sample: 'credentials',
  },
  /** The OAuth session; null for other kinds. */
  oauthSessionId: { column: 'oauth_attempt_id', type: nullable(id<Id<'att'>>()) },
  /** Where the form was submitted, which decides where the browser returns. */
  window: { column: 'window', type: text<'page' | 'popup' | 'frame'>('none'), sample: 'page' },
  /** The query of the page to return to. */
  returnQuery: { column: 'return_query', type: text('deleted') },
  state: {
    column: 'state',
    type: text<'running' | 'connected' | 'failed'>('none'),
    sample: 'failed',
  },
  /** Error code; null unless failed. A running sign-in with the code `already_connected` awaits a choice. */
  code: { column: 'code', type: nullable(text('none')), sample: 'credentials_rejected' },
  /** The field and the message of the error, from the integration. */
  field: { column: 'field', type: nullable(text('deleted')) },
  hint: { column: 'hint', type: nullable(text('deleted')) },
  accountId: { column: 'account_id', type: nullable(id<AccountId>()) },
  createdAt: { column: 'created_at', type: time() },
  finishedAt: { column: 'finished_at', type: nullable(time()) },
  expiresAt: { column: 'expires_at', type: time() },
} as const

export const SUBMISSION = defineResource(fields)

/** One submission of a form of the connect page. Times are epoch milliseconds. */
export type Submission = ValuesOf<typeof fields>

export type SubmissionRow = RowOf<typeof fields>

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    submissions: SubmissionRow
  }
}

/** The part of a submission that the end of its sign-in needs: the page to return to. */
export type ReturnPage = Pick<
  Submission,
  'submissionId' | 'linkId' | 'connectSessionId' | 'window' | 'returnQuery'
>

/** A submission that has just begun. */
export type NewSubmission = Omit<
  Submission,
  'state' | 'code' | 'field' | 'hint' | 'accountId' | 'finishedAt'
>

/** How an attempt to connect an account ended: the account, or an error code or an internal outcome (`other_browser`). */
export type ConnectOutcome =
  | { readonly accountId: AccountId }
  | {
      readonly code: string
      /** The field and the message of the error, from the integration. */
      readonly field?: string | undefined
      readonly hint?: string | undefined
    }

/** Identifies one page session at the page of one link or connect session. */
export interface SessionKey {
  readonly sessionHash: Uint8Array
  readonly pageId: PageId
}

/** What the URLs of a page name: its link, or its connect session. */
export type PageId = LinkId | Id<'cns'>

/** An account that was connected in a page session. */
export interface SessionAccount {
  readonly accountId: AccountId
  readonly accountName: string
  /** Whom the provider knows as its owner; null if it did not say. */
  readonly identityLabel: string | null
  readonly accountIdentifier: string | null
  readonly definitionId: DefinitionId
  readonly definitionName: string
  readonly definitionKey: string
}
