import { isDeepStrictEqual } from 'node:util'
import type { CallApi } from './api-caller.ts'
import { expectThat } from './expect-that.ts'

/** The inputs of the steps. */
export interface AccountInput {
  readonly definitionId: string
  readonly workspaceId: string
  /** The provider's base URL, as the account's config has it. */
  readonly baseUrl: string
}

/** Checks credentials, creates an account, fails to create one with a bad key, gets and lists it; resolves to its id. */
export async function runAccountSteps(call: CallApi, input: AccountInput): Promise<string> {
  await checkSteps(call, input)
  const created = await call({
    title: 'Create an account: Linchpin checks the key, then encrypts it',
    method: 'POST',
    path: '/integration_account',
    body: {
      ...createBody(input, 'desk_live_1'),
      integrationAccountName: 'Desk of North',
      accountIdentifier: 'customer-41',
    },
    expect: 201,
    show: ['integrationAccountId', 'integrationAccountName', 'integrationConfiguration', 'deleted'],
  })
  const id = String(created.integrationAccountId)
  expectThat(
    isDeepStrictEqual(created.integrationConfiguration, { base_url: input.baseUrl }),
    'The response should contain only the public fields of the configuration.',
  )
  const rejection = await call({
    title: 'Create an account with a bad key: rejected, and nothing is stored',
    method: 'POST',
    path: '/integration_account',
    body: { ...createBody(input, 'desk_revoked_1'), integrationAccountName: 'Desk of South' },
    expect: 400,
    show: ['statusCode', 'error', 'message', 'errors'],
  })
  expectThat(
    rejection.error === 'credentials_rejected',
    `The error should be credentials_rejected, not ${rejection.error}.`,
  )

  await readSteps(call, id, input.workspaceId)
  return id
}

/** Deletes the account and gets its tombstone. */
export async function deleteSteps(call: CallApi, id: string): Promise<void> {
  const path = `/integration_account/${id}`
  const show = ['integrationAccountId', 'integrationConfiguration', 'deleted']
  const deletion = await call({ title: 'Delete it', method: 'DELETE', path, expect: 200, show })
  expectThat(deletion.deleted !== null, 'A deleted account should have the time of its deletion.')

  const tombstone = await call({
    title: 'Get it again: a tombstone without credentials',
    method: 'GET',
    path,
    expect: 200,
    show,
  })
  expectThat(
    tombstone.deleted === deletion.deleted && tombstone.integrationConfiguration === null,
    'The tombstone should have the time of deletion and no configuration.',
  )
}

/** Sends a request to the provider with the credentials of the account. */
export async function runProxyStep(call: CallApi, id: string): Promise<void> {
  const { tickets } = await call({
    title: "Use the account: request the customer's tickets from Acme Desk through the proxy",
    method: 'GET',
    path: `/integration_account/${id}/proxy/tickets`,
    expect: 200,
  })
  expectThat(Array.isArray(tickets) && tickets.length === 3, 'Acme Desk should return 3 tickets.')
}

async function checkSteps(call: CallApi, input: AccountInput): Promise<void> {
  const check = { method: 'POST', path: '/integration_account/check', expect: 200 } as const
  const accepted = await call({
    ...check,
    title: 'Check a good key: the integration asks the provider',
    body: createBody(input, 'desk_live_1'),
  })
  expectThat(accepted.status === true, `The good key should be accepted: ${accepted.error}.`)
  const bad = await call({
    ...check,
    title: 'Check a revoked key',
    body: createBody(input, 'desk_revoked_1'),
  })
  expectThat(
    bad.status === false && bad.error !== '',
    'The revoked key should be rejected with a reason.',
  )
}

async function readSteps(call: CallApi, id: string, workspaceId: string): Promise<void> {
  const fetched = await call({
    title: 'Get the account',
    method: 'GET',
    path: `/integration_account/${id}`,
    expect: 200,
    show: ['integrationAccountId', 'authType', 'integrationConfiguration', 'linkId'],
  })
  expectThat(fetched.integrationAccountId === id, 'The response should have the ID of the account.')
  const list = await call({
    title: 'List the accounts of the workspace',
    method: 'GET',
    path: `/integration_account?workspaceId=${workspaceId}`,
    expect: 200,
    show: ['integrationAccountId', 'integrationAccountName'],
  })
  const count = Array.isArray(list.items) ? list.items.length : 0
  expectThat(count === 1, `There should be one account, not ${count}.`)
}

function createBody(input: AccountInput, key: string) {
  return {
    integrationDefinitionId: input.definitionId,
    authType: 'Api Key',
    config: { api_key: key, base_url: input.baseUrl },
  }
}
