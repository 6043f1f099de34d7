import Type from 'typebox'
import { KnownText, Nullable, StrictObject } from '../http/schema.ts'
import type { Id } from '../storage/id.ts'
import type { EventType } from './event-types.ts'

/** The actions that the audit trail records: changes that are events, and those below. */
export type AuditAction =
  | Exclude<EventType, 'audit.checkpoint' | 'webhook.test'>
  | 'audit.exported'
  | 'proxy.used'
  | 'request.refused'
  | 'agent.called'
  | 'agent.sign_in_confirmed'
  | 'agent.sign_in_refused'
  | 'account.change_requested'
  | 'account.checked'
  | 'account.credentials_read'
  | 'account.debug_started'
  | 'account.debug_ended'
  | 'account.confirmed'
  | 'account.tool_accepted'
  | 'account.unconfirmed'
  | 'bulk_job.created'
  | 'customer.erasure_requested'
  | 'customer.erased'
  | 'customer.exported'
  | 'definition.icon_changed'
  | 'definition.previewed'
  | 'definition.bundle_changed'
  | 'member.invited'
  | 'member.joined'
  | 'member.updated'
  | 'member.removed'
  | 'oauth_app.created'
  | 'oauth_app.updated'
  | 'oauth_app.deleted'
  | 'oauth_app.tested'
  | 'oauth_app.secret_withheld'
  | 'passkey.created'
  | 'passkey.updated'
  | 'passkey.deleted'
  | 'session.created'
  | 'session.elevated'
  | 'session.ended'
  | 'token.created'
  | 'token.revoked'
  | 'user.created'
  | 'webhook_endpoint.created'
  | 'webhook_endpoint.updated'
  | 'webhook_endpoint.deleted'
  | 'webhook_endpoint.secret_rotated'
  | 'webhook_endpoint.tested'
  | 'webhook_endpoint.replayed'
  | 'workspace.created'
  | 'workspace.updated'
  | 'workspace.deleted'
  | 'workspace.erased'

/** An audit event. `detail` never contains secrets. */
export interface AuditEvent {
  readonly action: AuditAction
  readonly workspaceId: Id<'wsp'> | null
  readonly subject: string
  readonly detail?: Readonly<Record<string, unknown>>
  /** Default: `done`. */
  readonly outcome?: 'done' | 'refused' | undefined
}

/** The actor of an event. */
export interface Actor {
  readonly userId: Id<'usr'>
  /** Who acts, if it is a member of the workspace that `userId` owns. */
  readonly personId?: Id<'usr'> | undefined
  readonly tokenId: Id<'tok'> | null
  readonly requestId: string
  /** Default: `token` with a token, otherwise `person`. */
  readonly kind?: Cause['kind'] | undefined
  /** Default: `api` with a token, otherwise `page`. */
  readonly via?: Cause['via'] | undefined
  /** The client's address as the audit trail records it: see LINCHPIN_AUDIT_IP. */
  readonly ip?: string | null | undefined
  /** The connect session of a visitor of the connect page. */
  readonly connectSessionId?: Id<'cns'> | null | undefined
  /** Adds fields to the log line of the request. They must contain no secrets. */
  readonly addLogFields?: ((fields: Readonly<Record<string, string>>) => void) | undefined
  /** Present if the request has an idempotency key, which its effect settles. */
  readonly idempotencyClaim?: IdempotencyClaim | undefined
}

/** The exclusive right to run the request of an idempotency key. */
export interface IdempotencyClaim {
  readonly userId: Id<'usr'>
  readonly boundWorkspaceId: Id<'wsp'> | null
  readonly keyHash: Uint8Array
  /** Identifies the claim among those on the same key, on all nodes. */
  readonly owner: string
  /** Encrypts the response of the request, for storage with the key: an object, or JSON. */
  seal(response: unknown): SealedResponse
}

/** A response as it is stored with an idempotency key. */
export interface SealedResponse {
  readonly status: number
  readonly sealed: Uint8Array
}

/** The actor of events that no request causes, such as expiry. */
export const SYSTEM_ACTOR = {
  userId: null,
  tokenId: null,
  requestId: null,
  kind: 'system',
  via: 'background',
  ip: null,
} as const

/** The actor that an event is attributed to. */
export type AuditActor = Actor | typeof SYSTEM_ACTOR

/** A change of stored data. Nothing in it is secret, except `response`. */
export interface Change extends AuditEvent {
  /** The event to publish; ignored for changes outside a workspace. */
  readonly event?: EventDraft | undefined
  /** The account that changed, for its history. */
  readonly account?: ChangedAccount | undefined
  /**
   * The response of the POST request whose purpose is this change, an object or JSON. If the request has an idempotency
   * key, the response is stored with it, encrypted, so that a retry gets it and does not repeat the change.
   */
  readonly response?: unknown
}

/** An event before it is stored. */
export interface EventDraft {
  readonly type: EventType
  /** The id of the resource that changed. */
  readonly subject: string
  readonly accountIdentifier?: string | null
  /** A snapshot of the resource as the API returns it, and what the type adds. */
  readonly data: Readonly<Record<string, unknown>>
}

/** An account after a change. */
export interface ChangedAccount {
  readonly accountId: Id<'acc'>
  readonly status: string
  readonly statusReason: string | null
}

/** What caused a change: a request with a token, a person on a page, an agent, background work, or the command line. */
export interface Cause {
  readonly kind: 'token' | 'person' | 'agent' | 'system'
  readonly via: 'api' | 'mcp' | 'console' | 'page' | 'background' | 'cli'
  readonly requestId: string | null
}

/** The entries of an account's history that are retained. */
export const MAX_ACCOUNT_CHANGES = 200

/** Who made a change. */
export const ChangeCause = StrictObject(
  {
    kind: KnownText<Cause['kind']>(['token', 'person', 'agent', 'system'], 'Who made the change.'),
    via: KnownText<Cause['via']>(['api', 'mcp', 'console', 'page', 'background', 'cli'], 'How.'),
    requestId: Nullable(
      Type.String({ description: 'The request that made the change; null if none did.' }),
    ),
  },
  { description: 'Who made the change.' },
)
