import { isDeepStrictEqual } from 'node:util'
import type { CallApi } from './api-caller.ts'
import { expectThat } from './expect-that.ts'

/** Where the steps find the provider. */
export interface AccountInput {
  readonly definitionId: string
  readonly workspaceId: string
  /** The provider, as the integration is told it. */
  readonly baseUrl: string
}

/** Checks credentials, creates an account, is refused one, reads it alone and in the list; resolves to its id. */
export async function accountSteps(call: CallApi, input: AccountInput): Promise<string> {
  await checkSteps(call, input)
  const created = await call({
    title: 'Create an account: checked first, then sealed',
    method: 'POST',
    path: '/integration_account',
    body: {
      ...credentials(input, 'desk_live_1'),
      integrationAccountName: 'Desk of North',
      accountIdentifier: 'customer-41',
    },
    expect: 201,
    show: ['integrationAccountId', 'integrationAccountName', 'integrationConfiguration', 'deleted'],
  })
  const id = String(created.integrationAccountId)
  expectThat(
    isDeepStrictEqual(created.integrationConfiguration, { base_url: input.baseUrl }),
    'The answer should show the public part of the configuration and nothing else.',
  )
  const rejection = await call({
    title: 'Create an account with a bad key: refused, nothing is stored',
    method: 'POST',
    path: '/integration_account',
    body: { ...credentials(input, 'desk_revoked_1'), integrationAccountName: 'Desk of South' },
    expect: 400,
    show: ['statusCode', 'error', 'message', 'errors'],
  })
  expectThat(
    rejection.error === 'credentials_rejected',
    `Not the refusal expected: ${rejection.error}.`,
  )

  await readSteps(call, id, input.workspaceId)
  return id
}

/** Deletes the account and finds what is left of it. */
export async function deleteSteps(call: CallApi, id: string): Promise<void> {
  const path = `/integration_account/${id}`
  const show = ['integrationAccountId', 'integrationConfiguration', 'deleted']
  const deletion = await call({ title: 'Delete it', method: 'DELETE', path, expect: 200, show })
  expectThat(deletion.deleted !== null, 'A deleted account should say when it was deleted.')

  const tombstone = await call({
    title: 'Get it again: a tombstone, its credentials erased',
    method: 'GET',
    path,
    expect: 200,
    show,
  })
  expectThat(
    tombstone.deleted === deletion.deleted && tombstone.integrationConfiguration === null,
    'The tombstone should keep its time and no configuration.',
  )
}

async function checkSteps(call: CallApi, input: AccountInput): Promise<void> {
  const check = { method: 'POST', path: '/integration_account/check', expect: 200 } as const
  const good = await call({
    ...check,
    title: 'Check a good key: the bundle asks the provider',
    body: credentials(input, 'desk_live_1'),
  })
  expectThat(good.status === true, `The good key should pass: ${good.error}.`)
  const bad = await call({
    ...check,
    title: 'Check a revoked key',
    body: credentials(input, 'desk_revoked_1'),
  })
  expectThat(bad.status === false && bad.error !== '', 'The revoked key should fail and say why.')
}

async function readSteps(call: CallApi, id: string, workspaceId: string): Promise<void> {
  const fetched = await call({
    title: 'Get the account',
    method: 'GET',
    path: `/integration_account/${id}`,
    expect: 200,
    show: ['integrationAccountId', 'authType', 'integrationConfiguration', 'linkId'],
  })
  expectThat(fetched.integrationAccountId === id, 'The account read should be the account made.')
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

function credentials(input: AccountInput, key: string) {
  return {
    integrationDefinitionId: input.definitionId,
    authType: 'Api Key',
    config: { api_key: key, base_url: input.baseUrl },
  }
}
