import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { parseKeys } from '../../../../platform/vault/key-ring.ts'
import { rekey } from '../../../../platform/vault/rekey.ts'
import type { AccountId } from '../../account.ts'
import { toAccount } from '../../account-row-store.ts'
import { createEncryptionContext } from '../../credentials/account-config.ts'
import type { RefreshDeps } from '../refresh-deps.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
  TEST_KEYS,
} from '../test/refresh-test-context.ts'
import { getAuthHeaders } from './get-auth-headers.ts'

describe('getAuthHeaders: a bundle whose HEADERS depends only on the configuration', () => {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext()
  })
  after(() => context.close())

  /** `body` runs in HEADERS, before the headers are returned. */
  const createCode = (
    body = '',
    result = `{ 'X-Key': config.access_token, 'X-Desk': config.desk }`,
  ) =>
    `exports.default = async (command, { config }) => {
      if (command === 'SPEC') return ${JSON.stringify(createOAuthSpec(context.provider))}
      if (command === 'CHECK') return { status: true, error: '' }
      ${body}
      return ${result}
    }`
  const connect = (bundleCode: string, config: object = {}) =>
    context.account({
      code: bundleCode,
      hasApp: false,
      config: { refresh_token: undefined, access_token: 'token-1', desk: 'a', ...config },
      row: { token_expires_at: null, refresh_at: null },
    })
  /** A node that counts the calls of bundles. */
  const countingNode = () => {
    const node = context.node()
    const counter = { calls: 0 }
    const run: RefreshDeps['runner']['run'] = (call) => {
      counter.calls += 1
      return node.runner.run(call)
    }
    return { node: { ...node, runner: { ...node.runner, run } }, counter }
  }
  const changeConfig = async (id: AccountId, config: object, overrides: object = {}) => {
    const row = await context.row(id)
    const sealed_config = await context
      .node()
      .vault.seal(createEncryptionContext(toAccount(row)), JSON.stringify(config))
    await context.change(id, { sealed_config, ...overrides })
  }

  it('runs it once, however many requests need the headers', async () => {
    const { id } = await connect(createCode())
    const { node, counter } = countingNode()
    for (let times = 0; times < 5; times += 1) {
      const { headers } = await getAuthHeaders(node, id)
      assert.deepEqual(headers, { 'X-Key': 'token-1', 'X-Desk': 'a' })
    }
    assert.equal(counter.calls, 1)
  })

  it('fills the templates of the spec without running it again if it returns nothing', async () => {
    const { id } = await connect(createCode('', 'null'))
    const { node, counter } = countingNode()
    for (let times = 0; times < 3; times += 1)
      assert.equal((await getAuthHeaders(node, id)).headers, null)
    assert.equal(counter.calls, 1)
  })

  for (const [name, body] of Object.entries({
    'a clock': 'Date.now()',
    randomness: 'Math.random()',
    entropy: `require('crypto').randomUUID()`,
    'a timer': 'await new Promise((resolve) => setTimeout(resolve, 1))',
    'a request': `await fetch('http://10.0.0.1/').catch(() => {})`,
  }))
    it(`runs it for each request if it uses ${name}`, async () => {
      const { id } = await connect(createCode(body))
      const { node, counter } = countingNode()
      for (let times = 1; times <= 3; times += 1) {
        await getAuthHeaders(node, id)
        assert.ok(counter.calls >= times, `${counter.calls} calls`)
      }
      const found = await node.refreshStore.find(id)
      assert.equal(found && node.refreshCache.grants.find(found)?.headers, undefined)
    })

  it('runs it again once the configuration, the version of the credentials or the bundle changed', async () => {
    const { id } = await connect(createCode())
    const { node, counter } = countingNode()
    await getAuthHeaders(node, id)
    await changeConfig(id, { access_token: 'token-2', desk: 'a' })
    assert.equal((await getAuthHeaders(node, id)).headers?.['X-Key'], 'token-2')
    assert.equal(counter.calls, 2)
    await context.change(id, { credential_version: 7 })
    await getAuthHeaders(node, id)
    assert.equal(counter.calls, 3)
    const other = await context.t.createDefinition({
      code: createCode('', `{ 'X-New': config.desk }`),
    })
    await context.change(id, { definition_id: other.integrationDefinitionId })
    assert.deepEqual((await getAuthHeaders(node, id)).headers, { 'X-New': 'a' })
    assert.equal(counter.calls, 4)
  })

  it('returns each account its own headers, for the same bundle', async () => {
    const bundleCode = createCode()
    const accounts = await Promise.all(
      ['a', 'b', 'c'].map((desk) => connect(bundleCode, { desk, access_token: `token-${desk}` })),
    )
    const { node } = countingNode()
    for (let times = 0; times < 2; times += 1)
      for (const [index, { id }] of accounts.entries()) {
        const desk = 'abc'[index]
        const { headers } = await getAuthHeaders(node, id)
        assert.deepEqual(headers, { 'X-Key': `token-${desk}`, 'X-Desk': desk })
      }
  })

  it('runs it again after `keys rekey`, when no data key opens what is in memory', async () => {
    const { id } = await connect(createCode())
    const { node, counter } = countingNode()
    const expected = (await getAuthHeaders(node, id)).headers
    await rekey({ ...node, keys: parseKeys(TEST_KEYS) }, { graceMs: 0 })
    for (let times = 0; times < 3; times += 1)
      assert.deepEqual((await getAuthHeaders(node, id)).headers, expected)
    assert.equal(counter.calls, 2)
  })
})
