import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../../test/postgres.ts'
import { expectCreated, expectError, expectOk, testContext } from '../../../../test/test-context.ts'
import type { RevocationTestContext } from '../../oauth-flow/test/revocation-test-context.ts'
import {
  getReturnParams,
  ISSUER,
  respondWithJson,
} from '../../oauth-flow/test/stub-provider-context.ts'
import type { PageTestContext } from '../test/page-test-context.ts'
import { getVisibleText, pressStart } from '../test/test-visitor.ts'

const SPEC_SCOPES = ['identity', 'read']
const OPTIONAL_SCOPES = ['write', 'admin', 'reports', 'export']

describeOnBothDatabases('a step-up of permissions', (newUrl) => {
  let t: RevocationTestContext & PageTestContext
  /** What the provider holds for each user: it replaces a grant by what is granted last, as GitHub does. */
  const held = new Map<string, readonly string[]>()

  before(async () => {
    const auth = {
      default_scopes: SPEC_SCOPES,
      'x-required-scopes': ['identity'],
      'x-scope-labels': { write: 'Change your notes' },
    }
    t = await testContext({
      url: await newUrl(),
      provider: { revocation: true, auth },
      pages: true,
    })
    const body = { optionalScopes: OPTIONAL_SCOPES }
    expectOk(await t.call('POST', `/v1/integration_oauth/${t.appId}`, { body }))
  })
  after(() => t.close())

  /** The provider grants these scopes to a user. */
  const grant = (user: string, scopes: readonly string[]) => {
    held.set(user, scopes)
    const tokens = { access_token: `${user}.1`, refresh_token: `rt_${user}`, expires_in: 3_600 }
    t.respondToToken = respondWithJson(200, { ...tokens, scope: scopes.join(' ') })
  }
  const connect = async (user: string, scopes: readonly string[] = SPEC_SCOPES) => {
    grant(user, scopes)
    const body = { accountIdentifier: `of ${user}` }
    return getReturnParams(await t.completeFlow(body)).integrationAccountId
  }
  const createSession = (body: AnyBody) => t.call('POST', '/v1/connect_session', { body })
  const stepUp = async (id: string, scopes: readonly string[]) =>
    expectCreated(
      await createSession({ integrationAccountId: id, scopes: { [t.definitionId]: scopes } }),
    )
  /** Opens the session, and submits its form. Returns the page, and which scopes the provider receives. */
  const open = async (session: AnyBody) => {
    const visitor = t.visitor()
    const pressed = await pressStart(visitor, session.url)
    const form = await visitor.get(pressed.location ?? '')
    const sent = await visitor.submit(form)
    const { searchParams } = new URL(sent.location ?? '')
    const requested = searchParams.get('scope')?.split(' ') ?? []
    const finish = async (params: Record<string, string>) => {
      const state = searchParams.get('state') ?? ''
      const query = new URLSearchParams({ state, iss: ISSUER, ...params })
      const callback = await visitor.get(`/api/v1/oauth/callback?${query}`)
      return visitor.get(callback.location ?? '')
    }
    return { form, requested, finish }
  }
  const readPermissions = async (id: string): Promise<AnyBody> =>
    expectOk(await t.call('GET', `/v1/integration_account/${id}/health`)).permissions
  const readAccount = async (id: string) => {
    const { updatedAt, ...account } = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    return account
  }
  const listChanges = async (id: string): Promise<AnyBody[]> => {
    const rows = await t.database.read
      .selectFrom('events')
      .select('data')
      .where('type', '=', 'account.permissions_changed')
      .execute()
    return rows
      .map(({ data }) => JSON.parse(String(data)))
      .filter(({ account }) => account.integrationAccountId === id)
  }

  it('requests what the account has and what is new, and its page lists what is new', async () => {
    const id = await connect('alice')
    const session = await stepUp(id, ['write', 'admin'])
    assert.deepEqual(session.scopes, { [t.definitionId]: ['write', 'admin'] })
    const { form, requested, finish } = await open(session)
    assert.deepEqual(requested.toSorted(), ['admin', 'identity', 'read', 'write'])
    const text = getVisibleText(form)
    assert.match(text, /New: .* will also be able to: Change your notes admin/)
    assert.doesNotMatch(text, /identity|\bread\b/)
    grant('alice', requested)
    assert.equal((await finish({ code: 'a-code' })).state, 'connected')
    const permissions = await readPermissions(id)
    assert.deepEqual([permissions.missing, permissions.source], [[], 'reported'])
    assert.deepEqual(permissions.granted.toSorted(), ['admin', 'identity', 'read', 'write'])
    const [change, ...others] = await listChanges(id)
    assert.deepEqual(others, [])
    assert.deepEqual(change?.previous, { granted: ['identity', 'read'], missing: [] })
    assert.deepEqual(change?.granted, ['admin', 'identity', 'read', 'write'])
  })

  it('changes nothing if the person declines', async () => {
    const id = await connect('bob')
    const before = await readAccount(id)
    const session = await stepUp(id, ['write'])
    const { finish } = await open(session)
    const done = await finish({ error: 'access_denied' })
    assert.notEqual(done.state, 'connected')
    assert.deepEqual(await readAccount(id), before)
    const permissions = await readPermissions(id)
    assert.deepEqual(permissions.requested, SPEC_SCOPES)
    assert.deepEqual(await listChanges(id), [])
  })

  it('completes with less than was requested, says what is missing, and does not ask again', async () => {
    const id = await connect('carol')
    const session = await stepUp(id, ['write', 'admin'])
    const { finish } = await open(session)
    grant('carol', ['identity', 'read', 'write'])
    assert.equal((await finish({ code: 'a-code' })).state, 'connected')
    assert.deepEqual((await readPermissions(id)).missing, ['admin'])
    assert.deepEqual((await listChanges(id))[0]?.missing, ['admin'])
    const path = `/v1/connect_session/${session.connectSessionId}`
    assert.equal(expectOk(await t.call('GET', path)).status, 'completed')
    const listed = await t.call('GET', '/v1/integration_account?missingScope=admin')
    const ids = expectOk(listed).map((each: AnyBody) => each.integrationAccountId)
    assert.deepEqual(ids, [id])
  })

  it('publishes what is missing of a new account, and nothing if it has all', async () => {
    const partial = await connect('dave', ['identity'])
    const [change] = await listChanges(partial)
    assert.deepEqual([change?.missing, change?.previous], [['read'], null])
    assert.deepEqual(await listChanges(await connect('erin')), [])
  })

  it('remains after a later reconnect, also through the API', async () => {
    const id = await connect('frank')
    const { requested, finish } = await open(await stepUp(id, ['reports']))
    grant('frank', requested)
    await finish({ code: 'a-code' })
    const again = await open(expectCreated(await createSession({ integrationAccountId: id })))
    assert.deepEqual(again.requested.toSorted(), ['identity', 'read', 'reports'])
    const page = await t.start({ integrationAccountId: id })
    const url = new URL(await t.browser.begin(page))
    assert.deepEqual(url.searchParams.get('scope')?.split(' ').toSorted(), [
      'identity',
      'read',
      'reports',
    ])
  })

  it('40 times, half of them declined: no account loses a scope, at a provider that replaces grants', async () => {
    const lost: string[] = []
    let lostIfOnlyNew = 0
    for (let index = 0; index < 40; index += 1) {
      const user = `user${index}`
      const granted = index % 3 === 0 ? [...SPEC_SCOPES, 'reports'] : SPEC_SCOPES
      const id = await connect(user, SPEC_SCOPES)
      if (granted.length > SPEC_SCOPES.length) {
        const first = await open(await stepUp(id, ['reports']))
        grant(user, first.requested)
        await first.finish({ code: 'a-code' })
      }
      const added = OPTIONAL_SCOPES.slice(0, 1 + (index % 2))
      const { requested, finish } = await open(await stepUp(id, added))
      if (index % 2 === 0) await finish({ error: 'access_denied' })
      else {
        grant(user, requested)
        await finish({ code: 'a-code' })
        if (granted.some((scope) => !added.includes(scope))) lostIfOnlyNew += 1
      }
      const stored = new Set((await readPermissions(id)).granted)
      const atProvider = new Set(held.get(user))
      for (const scope of granted)
        if (!stored.has(scope) || !atProvider.has(scope)) lost.push(`${user} ${scope}`)
    }
    assert.deepEqual(lost, [])
    // The control: requesting only what is new would have lost scopes of each of those who accepted.
    assert.equal(lostIfOnlyNew, 20)
  })

  it('400: for an account without a sign-in, for an unknown scope, and for another definition', async () => {
    const { integrationDefinitionId } = await t.createDefinition()
    const keyed = await t.createAccount(integrationDefinitionId)
    const scopes = { [integrationDefinitionId]: ['a'] }
    const refused = await createSession({
      integrationAccountId: keyed.integrationAccountId,
      scopes,
    })
    expectError(refused, 'auth_type_not_allowed')
    const id = await connect('grace')
    const unknown = await createSession({
      integrationAccountId: id,
      scopes: { [t.definitionId]: ['write', 'nothing'] },
    })
    expectError(unknown, 'scope_not_allowed')
    assert.deepEqual(Object.keys(unknown.body.errors), [`scopes.${t.definitionId}.1`])
    const other = await createSession({ integrationAccountId: id, scopes })
    expectError(other, 'unknown_reference')
  })
})
