import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { listAuditActions } from '../../../../test/test-context.ts'
import type { ApiError } from '../../../platform/errors.ts'
import type { AccountId } from '../account.ts'
import { getValidCredentials } from './get-valid-credentials.ts'
import {
  type RefreshTestContext,
  refreshDueAccounts,
  startRefreshTestContext,
} from './test/refresh-test-context.ts'

describeOnBothDatabases(
  'an account whose refresh is refused in the words of its provider',
  defineTests,
)

const SALESFORCE = { error: 'invalid_grant', error_description: 'expired authorization code' }

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => {
    Object.assign(context.provider, { expiresIn: 3_600, extraFields: {}, graceMs: 0 })
    Object.assign(context.provider, { beforeRotation: undefined, afterRotation: undefined })
    context.provider.calls.length = 0
  })
  const respondWith = (status: number, body: object | string, type = 'application/json') => {
    context.provider.beforeRotation = (response) => {
      response.writeHead(status, { 'content-type': type })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
      return true
    }
  }
  /** Responds after the rotation, so that the old refresh token is dead. */
  const rotateWith = (createBody: (refreshToken: string) => object | Buffer) => {
    context.provider.afterRotation = (response) => {
      context.provider.afterRotation = undefined
      const body = createBody(context.provider.families.at(-1)?.refreshToken ?? '')
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body))
      return true
    }
  }
  const useAccount = (id: AccountId, node = context.node()): Promise<string> =>
    getValidCredentials(node, id).then(
      ({ grant }) => String(grant.config.access_token),
      (error: ApiError) => error.code,
    )
  const listEvents = async (id: AccountId): Promise<string[]> => {
    const { body } = await context.t.call('GET', `/v1/event?wait=20&subject=${id}&types=account.*`)
    return body.map(({ type }: { type: string }) => type)
  }
  const readStatus = async (id: AccountId) => {
    const { status, status_reason } = await context.row(id)
    return [status, status_reason]
  }

  for (const [name, body] of Object.entries({
    Salesforce: {
      error: 'invalid_grant',
      error_description: 'token request is already being processed',
    },
    Zoho: {
      error: 'Access Denied',
      error_description:
        'You have made too many requests continuously. Please try again after some time.',
    },
    Meta: { error: { type: 'OAuthException', is_transient: true, code: 2 } },
  }))
    it(`stays active however often it is refused for now, and recovers: ${name}`, async () => {
      const { id, family } = await context.account()
      const node = context.node()
      respondWith(400, body)
      for (let attempt = 1; attempt <= 7; attempt += 1) {
        assert.equal(await useAccount(id, node), family.accessToken)
        const row = await context.row(id)
        assert.deepEqual([row.status, row.refresh_failures], ['active', attempt])
        await context.change(id, { refresh_at: 1 })
      }
      context.provider.beforeRotation = undefined
      assert.equal(await useAccount(id, node), family.accessToken)
      assert.equal((await context.row(id)).refresh_failures, 0)
      assert.deepEqual(await listAuditActions(context.t, id), [])
    })

  it('is tried again within a minute after a refusal for now, also when its token has expired', async () => {
    const row = { token_expires_at: Date.now() - 1_000, refresh_at: 1 }
    const { id } = await context.account({ row })
    respondWith(400, SALESFORCE)
    assert.equal(await useAccount(id), 'provider_error')
    const { status, refresh_at } = await context.row(id)
    assert.equal(status, 'active')
    assert.ok(Number(refresh_at) - Date.now() < 60_000)
  })

  it('ends after five ambiguous refusals in a row, and a refusal of another kind begins anew', async () => {
    const { id } = await context.account()
    const node = context.node()
    const refuse = async (body: object, times: number) => {
      respondWith(400, body)
      for (let attempt = 0; attempt < times; attempt += 1) {
        await context.change(id, { refresh_at: 1 })
        await useAccount(id, node)
      }
    }
    await refuse(SALESFORCE, 4)
    await refuse({ error: 'temporarily_unavailable' }, 1)
    await refuse(SALESFORCE, 4)
    assert.deepEqual(await readStatus(id), ['active', null])
    await refuse(SALESFORCE, 1)
    assert.equal((await context.row(id)).status, 'needs_reauth')
    assert.deepEqual(await listEvents(id), ['account.needs_reauth'])
  })

  for (const [name, body] of Object.entries({
    Fitbit: {
      errors: [{ errorType: 'invalid_grant', message: 'Refresh token invalid' }],
      success: false,
    },
    Strava: {
      message: 'Bad Request',
      errors: [{ resource: 'RefreshToken', field: 'refresh_token', code: 'invalid' }],
    },
    Meta: { error: { type: 'OAuthException', code: 190, error_subcode: 460 } },
    'a list': { errors: [{ code: 'invalid_grant' }] },
  }))
    it(`becomes needs_reauth with its event when the grant has ended: ${name}`, async () => {
      const { id } = await context.account()
      respondWith(400, body)
      assert.equal(await useAccount(id), 'needs_reauth')
      assert.deepEqual(await readStatus(id), ['needs_reauth', 'invalid_grant'])
      assert.deepEqual(await listEvents(id), ['account.needs_reauth'])
    })

  it('is tried at the first use after its access token has expired, although it is in error and waits', async () => {
    const { id, family } = await context.account()
    respondWith(401, { error: 'invalid_client' })
    await useAccount(id)
    assert.deepEqual(await readStatus(id), ['error', 'invalid_client'])
    context.provider.beforeRotation = undefined
    const old = family.accessToken
    assert.equal(await useAccount(id), old, 'the token is valid, and the account waits')
    await context.change(id, { token_expires_at: Date.now() - 1, updated_at: Date.now() - 60_000 })
    assert.notEqual(await useAccount(id), old)
    assert.deepEqual(await readStatus(id), ['active', null])
  })

  it('backs off for less than a minute after a refusal of unknown meaning', async () => {
    const { id } = await context.account()
    respondWith(400, { error: 'e17' })
    await useAccount(id)
    const { status, status_reason, refresh_at } = await context.row(id)
    assert.deepEqual([status, status_reason], ['error', 'e17'])
    assert.ok(Number(refresh_at) - Date.now() < 60_000)
  })

  it('keeps a rotated refresh token whose access token is unusable, and sends the old one never again', async () => {
    const unusable: ((refreshToken: string) => object)[] = [
      (refresh_token) => ({ refresh_token, access_token: 'a'.repeat(20_000) }),
      (refresh_token) => ({ refresh_token, access_token: 'ä' }),
      (refresh_token) => ({ refresh_token, access_token: 'at', token_type: 'DPoP' }),
      (refresh_token) => ({ refresh_token }),
      (refresh_token) => ({ data: { refresh_token, access_token: 7 } }),
    ]
    for (const createBody of unusable) {
      const { id, family } = await context.account()
      const old = family.accessToken
      rotateWith(createBody)
      assert.equal(await useAccount(id), old)
      assert.equal(context.provider.calls.splice(0).length, 1, 'no second request')
      assert.equal((await context.config(id)).refresh_token, family.refreshToken)
      await context.change(id, { refresh_at: 1 })
      assert.equal(await useAccount(id), family.accessToken)
      assert.equal((await context.row(id)).status, 'active')
      context.provider.calls.length = 0
    }
    assert.equal(context.provider.reuseCount(), 0)
  })

  it('keeps a rotated refresh token beside fields that are odd, missing or not UTF-8', async () => {
    const latin1 = (refreshToken: string) =>
      Buffer.from(
        `{"access_token":"at-9","refresh_token":"${refreshToken}","name":"Ren\xe9"}`,
        'latin1',
      )
    const odd: ((refreshToken: string) => object | Buffer)[] = [
      (refresh_token) => ({ refresh_token, access_token: 'at-9' }),
      (refresh_token) => ({ refresh_token, access_token: 'at-9', token_type: { a: 1 } }),
      (refresh_token) => ({ refresh_token, access_token: 'at-9', token_type: 'x'.repeat(200) }),
      (refresh_token) => ({ refresh_token, access_token: 'at-9', expires_in: 'soon' }),
      (refresh_token) => ({ refresh_token, access_token: 'at-9', expires_in: -5 }),
      (refresh_token) => ({ refresh_token, access_token: 'at-9', scope: 'other', scopes: 7 }),
      (refresh_token) => ({ refresh_token, access_token: 'at-9', scope: '\u0000' }),
      latin1,
    ]
    for (const createBody of odd) {
      const { id, family } = await context.account()
      rotateWith(createBody)
      assert.equal(await useAccount(id), 'at-9')
      assert.equal((await context.config(id)).refresh_token, family.refreshToken)
    }
  })

  it('reads a refusal that is not UTF-8', async () => {
    const { id } = await context.account()
    context.provider.beforeRotation = (response) => {
      const text = '{"error":"invalid_grant","error_description":"p\xe9rim\xe9"}'
      response.writeHead(400, { 'content-type': 'application/json; charset=iso-8859-1' })
      response.end(Buffer.from(text, 'latin1'))
      return true
    }
    assert.equal(await useAccount(id), 'needs_reauth')
  })

  it('never hands out a JWT that has expired, and asks for another with back-off', async () => {
    const { id } = await context.account({
      row: { token_expires_at: Date.now() - 1, refresh_at: 1 },
    })
    rotateWith((refresh_token) => ({ refresh_token, access_token: createJwt(Date.now() - 5_000) }))
    assert.equal(await useAccount(id), 'provider_error')
    assert.equal(await useAccount(id), 'provider_error')
    assert.equal(context.provider.calls.length, 1)
    await context.change(id, { refresh_at: 1 })
    await refreshDueAccounts(context.node())
    assert.equal((await context.row(id)).refresh_failures, 0)
  })

  it('has the expiry of its JWT beside that of the refresh token alone', async () => {
    const { id } = await context.account()
    rotateWith(() => ({
      access_token: createJwt(Date.now() + 2_000),
      refresh_token_expires_in: 9_000,
    }))
    await useAccount(id)
    const { token_expires_at } = await context.row(id)
    assert.ok(Number(token_expires_at) <= Date.now() + 2_000)
  })
}

function createJwt(expiresAt: number): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${encode({ alg: 'none' })}.${encode({ exp: Math.floor(expiresAt / 1_000) })}.c2ln`
}
