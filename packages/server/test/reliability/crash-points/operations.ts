import assert from 'node:assert/strict'
import { createDeskCredentials } from '../desk-provider.ts'
import type { ServiceProcess } from '../service-process.ts'

/** A kind of request, and how often its effect and what belongs to it are stored. */
export interface Operation {
  readonly name: string
  /** Makes what the request needs, which is new each time. */
  prepare(context: OperationContext, name: string): Promise<PreparedRequest>
  /** Counts the effects of all requests of the kind. For both dialects. */
  readonly effects: string
  /** The action of the audit entry. */
  readonly action: string
  /** Whether it causes an event. */
  readonly hasEvent: boolean
}

export interface OperationContext {
  readonly service: ServiceProcess
  readonly definitionId: string
  readonly provider: { readonly url: string }
}

export interface PreparedRequest {
  readonly method: 'POST' | 'DELETE'
  readonly path: string
  readonly body?: object
  /** Default: that of the owner. */
  readonly token?: string
  /** The status of a request that is refused, although it has an effect. */
  readonly refusal?: number
}

export const CREATE_LINK: Operation = {
  name: 'create a link',
  prepare: async (_context, name) => ({
    method: 'POST',
    path: '/v1/link',
    body: { linkName: name },
  }),
  effects: 'SELECT count(*) AS count FROM links',
  action: 'link.created',
  hasEvent: true,
}

export const OPERATIONS: readonly Operation[] = [
  CREATE_LINK,
  {
    name: 'revoke a link',
    prepare: async ({ service }, name) => {
      const { linkId } = await create(service, '/v1/link', { linkName: name })
      return { method: 'DELETE', path: `/v1/link/${linkId}` }
    },
    effects: 'SELECT count(revoked_at) AS count FROM links',
    action: 'link.revoked',
    hasEvent: true,
  },
  {
    name: 'create an account',
    prepare: async (context, name) => ({
      method: 'POST',
      path: '/v1/integration_account',
      body: describeAccount(context, name),
    }),
    effects: 'SELECT count(*) AS count FROM accounts',
    action: 'account.created',
    hasEvent: true,
  },
  {
    name: 'update credentials',
    prepare: async (context, name) => ({
      method: 'POST',
      path: await createAccount(context, name),
      body: { authType: 'Api Key', config: describeAccount(context, `${name}-new`).config },
    }),
    effects: 'SELECT coalesce(sum(credential_version - 1), 0) AS count FROM accounts',
    action: 'account.updated',
    hasEvent: true,
  },
  {
    name: 'delete an account',
    prepare: async (context, name) => ({
      method: 'DELETE',
      path: await createAccount(context, name),
    }),
    effects: 'SELECT count(deleted_at) AS count FROM accounts',
    action: 'account.deleted',
    hasEvent: true,
  },
  {
    name: 'create a token',
    prepare: async (_context, name) => ({
      method: 'POST',
      path: '/v1/user/token',
      body: { name, scopes: ['read'] },
    }),
    effects: "SELECT count(*) AS count FROM tokens WHERE origin = 'minted'",
    action: 'token.created',
    hasEvent: false,
  },
  {
    name: 'revoke a token',
    prepare: async ({ service }, name) => {
      const { tokenId } = await create(service, '/v1/user/token', { name, scopes: ['read'] })
      return { method: 'DELETE', path: `/v1/user/token/${tokenId}` }
    },
    effects: 'SELECT count(revoked_at) AS count FROM tokens',
    action: 'token.revoked',
    hasEvent: false,
  },
]

/** Creates what a request needs. */
export async function create(service: ServiceProcess, path: string, body: object) {
  const response = await service.call('POST', path, body)
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body
}

/** Returns the path of the new account. */
export async function createAccount(context: OperationContext, name: string): Promise<string> {
  const body = describeAccount(context, name)
  const { integrationAccountId } = await create(context.service, '/v1/integration_account', body)
  return `/v1/integration_account/${integrationAccountId}`
}

function describeAccount({ definitionId, provider }: OperationContext, name: string) {
  return {
    ...createDeskCredentials(definitionId, provider, `desk_live_${name}`),
    integrationAccountName: name,
    accountIdentifier: name,
  }
}
