import Type, { type Static } from 'typebox'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { serializeCookie } from '../../platform/http/browser-request.ts'
import { IdOf, Nullable, OneOf, StrictObject, Timestamp } from '../../platform/http/schema.ts'
import {
  bytes,
  defineResource,
  flag,
  id,
  nullable,
  type RowOf,
  text,
  time,
  type ValuesOf,
} from '../../platform/storage/define-resource.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { AgentSessionId } from './agent-session.ts'

export type SignInRequestId = Id<'sir'>

/** `opened`: bound to a browser; `verified`: the person in this browser is the customer; `expired` is not stored. */
export const SIGN_IN_STATUSES = [
  'created',
  'opened',
  'verified',
  'completed',
  'refused',
  'expired',
] as const
export type SignInStatus = (typeof SIGN_IN_STATUSES)[number]

const PURPOSES = ['approval', 'connect', 'consent'] as const

const SAMPLE_TIME = Date.parse('2026-11-28T10:00:00.000Z')

/** The stored fields of a sign-in request, in the order of responses. */
const fields = {
  signInRequestId: {
    column: 'sign_in_request_id',
    type: id<SignInRequestId>(),
    sample: 'sir_01kahn2s6kf5arr5d1x6z5cq3b',
    response: IdOf<SignInRequestId>({
      description: 'Identifier of the request, which is in its URL. Not secret.',
    }),
  },
  workspaceId: {
    column: 'workspace_id',
    type: id<WorkspaceId>(),
    sample: 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t',
    response: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
  },
  agentSessionId: {
    column: 'agent_session_id',
    type: id<AgentSessionId>(),
    sample: 'ags_01kahn2s6kf5arr5d1x6z5cq3b',
    response: IdOf<AgentSessionId>({
      description: 'The session of the agent that asks; with consent, the one that begins with it.',
    }),
  },
  purpose: {
    column: 'purpose',
    type: text<(typeof PURPOSES)[number]>('none'),
    sample: 'approval',
    response: OneOf(
      PURPOSES,
      'approval: to approve or deny a request of the agent; connect: to connect or reconnect an account; consent: to let an MCP client use the accounts of the customer.',
    ),
  },
  clientName: {
    column: 'client_name',
    type: nullable(text('operator')),
    response: Nullable(
      Type.String({
        description:
          'What the MCP client calls itself, which is not verified; null for other purposes.',
      }),
    ),
  },
  /**
   * What it is about: the ID of the approval, of the account to reconnect, or of the definition to connect; or the hash of the
   * authorization request, whose browser has the ID.
   */
  subject: { column: 'subject', type: text('none') },
  /** The customer for whom the page is; empty until the product names the one who consents. */
  expectedIdentifier: { column: 'expected_identifier', type: text('deleted') },
  /** SHA-256 of the secret of the browser that it is bound to; null until a person presses the button. */
  browserHash: { column: 'browser_hash', type: nullable(bytes('hash')) },
  /** SHA-256 of the code in the URL that the person returns with. */
  codeHash: { column: 'code_hash', type: nullable(bytes('hash')) },
  codeExpiresAt: { column: 'code_expires_at', type: nullable(time()) },
  /** Whether the product has named that customer; false until it has, and if it has named another. */
  isCustomer: { column: 'is_customer', type: flag() },
  /** Where the customer connects, once they were identified; null before, and for another purpose. */
  connectSessionId: { column: 'connect_session_id', type: nullable(id<Id<'cns'>>()) },
  status: {
    column: 'status',
    type: text<SignInStatus>('none'),
    sample: 'opened',
    response: OneOf(
      SIGN_IN_STATUSES,
      'created, opened (a browser is bound to it), verified (the customer is at the page), completed, refused or expired.',
    ),
  },
  createdAt: {
    column: 'created_at',
    type: time(),
    sample: SAMPLE_TIME,
    response: Timestamp('Creation time.'),
  },
  expiresAt: {
    column: 'expires_at',
    type: time(),
    sample: SAMPLE_TIME + 600_000,
    response: Timestamp('Until when it can be used.'),
  },
} as const

export const SIGN_IN_REQUEST = defineResource(fields)

/** A page for one customer, whom the product has to identify first. Times are epoch milliseconds. */
export type SignInRequest = ValuesOf<typeof fields>

declare module '../../platform/storage/tables.ts' {
  interface Tables {
    sign_in_requests: RowOf<typeof fields>
  }
}

export const SignInRequestResponse = StrictObject(SIGN_IN_REQUEST.schemas, {
  $id: 'SignInRequest',
  description: 'A page for one customer, whom the product has to identify first.',
  examples: [SIGN_IN_REQUEST.example],
})
export type SignInRequestResponse = Static<typeof SignInRequestResponse>

/** A confirmed request, with the URL at which the person continues. */
export const ConfirmedSignIn = StrictObject(
  {
    ...SIGN_IN_REQUEST.schemas,
    returnURL: Type.String({
      description: 'Redirect the browser of the person there. Valid once, for two minutes.',
    }),
  },
  {
    $id: 'ConfirmedSignIn',
    description: 'A confirmed sign-in request.',
    examples: [
      {
        ...SIGN_IN_REQUEST.example,
        returnURL: 'https://connect.example.com/agent/sir_01kahn2s6kf5arr5d1x6z5cq3b/return?code=…',
      },
    ],
  },
)
export type ConfirmedSignIn = Static<typeof ConfirmedSignIn>

/** The status at `now`. */
export function getSignInStatus(
  { status, expiresAt }: Pick<SignInRequest, 'status' | 'expiresAt'>,
  now: number,
): SignInStatus {
  const isOpen = status !== 'completed' && status !== 'refused'
  return isOpen && expiresAt <= now ? 'expired' : status
}

export function serializeSignInRequest(request: SignInRequest, now: number): SignInRequestResponse {
  return SIGN_IN_REQUEST.serialize({ ...request, status: getSignInStatus(request, now) })
}

/** The URL that an agent passes to a person. It gives no rights to those who open it. */
export function buildSignInUrl(baseUrl: string, signInRequestId: SignInRequestId): string {
  return `${baseUrl}/agent/${signInRequestId}`
}

/** The cookie that binds a request to a browser, which has a name of its own for each. */
export function getSignInCookie(signInRequestId: SignInRequestId): string {
  return `${COOKIE_PREFIX}${signInRequestId.slice(4)}`
}

const COOKIE_PREFIX = 'linchpin-agent-'
const MAX_COOKIES = 20

/**
 * `Set-Cookie` values that remove the cookies of a browser's oldest requests when it begins another one: a site that lets it begin hundreds
 * would make all of its requests to this service too large.
 */
export function expireOldSignInCookies(cookie: string | undefined, baseUrl: string): string[] {
  const names = (cookie ?? '').split(/[=;]/).map((part) => part.trim().replace('__Host-', ''))
  return names
    .filter((name) => name.startsWith(COOKIE_PREFIX))
    .sort()
    .slice(0, -MAX_COOKIES)
    .map((name) => serializeCookie(name, '', { seconds: 0, baseUrl }))
}
