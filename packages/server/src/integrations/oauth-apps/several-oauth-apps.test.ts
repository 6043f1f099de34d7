import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { registerOAuthApp, UNKNOWN_OAUTH_APP_ID } from '../../../test/register-oauth-app.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

describeOnBothDatabases('Several OAuth apps of a definition', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  before(async () => {
    t = await testContext({ url: await newUrl() })
  })
  after(() => t.close())

  const post = (body: AnyBody) => t.call('POST', '/v1/integration_oauth', { body })
  const update = (id: unknown, body: AnyBody) =>
    t.call('POST', `/v1/integration_oauth/${id}`, { body })
  const get = async (id: unknown) => expectOk(await t.call('GET', `/v1/integration_oauth/${id}`))
  const list = async (query: Record<string, string>) =>
    expectOk(await t.call('GET', `/v1/integration_oauth?${new URLSearchParams(query)}`)).map(
      (app: AnyBody) => app.clientId,
    )
  /** A default app, a second one and that of a customer. */
  const createThree = async () => {
    const first = await registerOAuthApp(t, { clientId: 'first' })
    const ids = { integrationDefinitionId: first.integrationDefinitionId }
    const second = expectCreated(await post({ ...ids, clientId: 'second', isDefault: false }))
    const own = expectCreated(await post({ ...ids, clientId: 'own', accountIdentifier: 'c-1' }))
    return { first, second, own, ...ids }
  }
  const idOf = (app: AnyBody) => app.integrationOAuthAppId

  it('are a default one, others, and one of each customer, which lists can select', async () => {
    const { first, second, own, integrationDefinitionId } = await createThree()
    const flags = [first, second, own].map((app) => [app?.isDefault, app?.accountIdentifier])
    assert.deepEqual(flags, [
      [true, null],
      [false, null],
      [false, 'c-1'],
    ])
    const ids = { integrationDefinitionId: String(integrationDefinitionId) }
    assert.deepEqual(await list(ids), ['first', 'second', 'own'])
    assert.deepEqual(await list({ ...ids, accountIdentifier: 'c-1' }), ['own'])
    assert.deepEqual(await list({ ...ids, accountIdentifier: 'c-2' }), [])
  })

  it('409: a second default, and a second app of a customer, also concurrently', async () => {
    const { second, integrationDefinitionId } = await createThree()
    const body = { integrationDefinitionId, clientId: 'x' }
    expectError(await post(body), 'already_exists')
    const { errors } = expectError(
      await post({ ...body, accountIdentifier: 'c-1' }),
      'already_exists',
    )
    assert.deepEqual(Object.keys(errors), ['accountIdentifier'])
    expectError(await update(idOf(second), { isDefault: true }), 'already_exists')
    assert.equal((await get(idOf(second))).isDefault, false)
    const own = { ...body, accountIdentifier: 'c-2' }
    const statuses = (await Promise.all([post(own), post(own), post(own)])).map((one) => one.status)
    assert.deepEqual(statuses.sort(), [201, 409, 409])
  })

  it('200: another app becomes the default once the first is not', async () => {
    const { first, second } = await createThree()
    expectOk(await update(idOf(first), { isDefault: false }))
    assert.equal(expectOk(await update(idOf(second), { isDefault: true })).isDefault, true)
  })

  it('200: an app replaces the default in one change, also concurrently, and both changes are recorded', async () => {
    const { first, second, integrationDefinitionId } = await createThree()
    const third = expectCreated(
      await post({ integrationDefinitionId, clientId: 'third', isDefault: false }),
    )
    const replace = (app: AnyBody) => update(idOf(app), { isDefault: true, replaceDefault: true })
    const listDefaults = async () => {
      const query = new URLSearchParams({
        integrationDefinitionId: String(integrationDefinitionId),
        isDefault: 'true',
      })
      return expectOk(await t.call('GET', `/v1/integration_oauth?${query}`)).map(idOf)
    }
    assert.equal(expectOk(await replace(second)).isDefault, true)
    assert.deepEqual(await listDefaults(), [idOf(second)])
    assert.equal((await listAuditActions(t, String(idOf(first)))).at(-1), 'oauth_app.updated')
    const other = await registerOAuthApp(t)
    const responses = await Promise.all(
      [first, second, third].flatMap((app) => [app, app]).map(replace),
    )
    for (const response of responses) expectOk(response)
    assert.equal((await listDefaults()).length, 1)
    assert.equal((await get(idOf(other))).isDefault, true)
  })

  it('400: only an app of the workspace that becomes the default replaces another', async () => {
    const { first, second, own } = await createThree()
    for (const isDefault of [undefined, false]) {
      const { errors } = expectError(
        await update(idOf(second), { isDefault, replaceDefault: true }),
        'validation_failed',
      )
      assert.deepEqual(Object.keys(errors), ['replaceDefault'])
    }
    const body = { isDefault: true, replaceDefault: true }
    expectError(await update(idOf(own), body), 'validation_failed')
    expectError(
      await update(idOf(second), { ...body, successorId: UNKNOWN_OAUTH_APP_ID }),
      'unknown_reference',
    )
    assert.equal((await get(idOf(first))).isDefault, true)
    expectError(
      await update(idOf(second), { isDefault: true, replaceDefault: false }),
      'already_exists',
    )
  })

  it("400: a customer's app is never the default, and its identifier is well-formed", async () => {
    const { own, integrationDefinitionId } = await createThree()
    const body = { integrationDefinitionId, clientId: 'x', accountIdentifier: 'c-3' }
    for (const wrong of [
      { isDefault: true },
      { accountIdentifier: 'a\nb' },
      { accountIdentifier: '' },
    ])
      expectError(await post({ ...body, ...wrong }), 'validation_failed')
    expectError(await update(idOf(own), { isDefault: true }), 'validation_failed')
    expectError(await update(idOf(own), { accountIdentifier: 'c-2' }), 'validation_failed')
  })

  it('400: a successor is of the same workspace, definition and customer, and leads to no cycle', async () => {
    const { first, second, own, integrationDefinitionId: of } = await createThree()
    const ids = { integrationDefinitionId: of }
    const third = expectCreated(await post({ ...ids, clientId: 'third', isDefault: false }))
    const elsewhere = await registerOAuthApp(t)
    const { token } = await t.otherUser()
    const foreign = await registerOAuthApp(t, { token })
    const wrong = [elsewhere, foreign, own, first].map(idOf)
    for (const successorId of [...wrong, UNKNOWN_OAUTH_APP_ID, 'nonsense']) {
      const { errors } = expectError(
        await update(idOf(first), { successorId }),
        'unknown_reference',
      )
      assert.deepEqual(Object.keys(errors), ['successorId'])
    }
    expectError(await update(idOf(own), { successorId: idOf(first) }), 'unknown_reference')
    expectOk(await update(idOf(first), { successorId: idOf(second) }))
    expectOk(await update(idOf(second), { successorId: idOf(third) }))
    for (const successorId of [idOf(first), idOf(second)])
      expectError(await update(idOf(third), { successorId }), 'unknown_reference')
    assert.equal((await get(idOf(third))).successorId, null)
    assert.equal(expectOk(await update(idOf(second), { successorId: null })).successorId, null)
  })

  it('400: a cycle cannot be made by two requests at once', async () => {
    const { first, second } = await createThree()
    const responses = await Promise.all([
      update(idOf(first), { successorId: idOf(second) }),
      update(idOf(second), { successorId: idOf(first) }),
    ])
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400])
  })

  it('200: the successor of a deleted default is the default, and takes the place of the deleted app', async () => {
    const { first, second, integrationDefinitionId } = await createThree()
    const ids = { integrationDefinitionId }
    const third = expectCreated(await post({ ...ids, clientId: 'third', isDefault: false }))
    expectOk(await update(idOf(first), { successorId: idOf(second) }))
    expectOk(await update(idOf(second), { successorId: idOf(third) }))
    expectOk(await t.call('DELETE', `/v1/integration_oauth/${idOf(second)}`))
    assert.equal((await get(idOf(first))).successorId, idOf(third))
    expectOk(await t.call('DELETE', `/v1/integration_oauth/${idOf(first)}`))
    assert.equal((await get(idOf(third))).isDefault, true)
    assert.deepEqual(await list(ids as Record<string, string>), ['own', 'third'])
  })

  it("201: a customer's app gets a successor with it, which is then the app of the customer", async () => {
    const { first, own, integrationDefinitionId } = await createThree()
    const body = { integrationDefinitionId, accountIdentifier: 'c-1', clientId: 'next' }
    const predecessorId = idOf(own)
    const successors = await Promise.all([1, 2, 3].map(() => post({ ...body, predecessorId })))
    const [next] = successors.filter(({ status }) => status === 201).map((one) => one.body)
    for (const response of successors.filter(({ status }) => status !== 201))
      assert.deepEqual(Object.keys(expectError(response, 'already_exists').errors), [
        'predecessorId',
      ])
    assert.deepEqual([next?.isDefault, next?.successorId], [false, null])
    assert.equal((await get(predecessorId)).successorId, idOf(next))
    expectError(await post({ ...body, clientId: 'x' }), 'already_exists')
    // The customer would have two.
    expectError(await update(predecessorId, { successorId: null }), 'already_exists')
    for (const wrong of [idOf(first), UNKNOWN_OAUTH_APP_ID, 'nonsense']) {
      const { errors } = expectError(
        await post({ ...body, predecessorId: wrong }),
        'unknown_reference',
      )
      assert.deepEqual(Object.keys(errors), ['predecessorId'])
    }
    expectError(
      await post({ ...body, accountIdentifier: 'c-2', predecessorId: idOf(next) }),
      'unknown_reference',
    )
    const last = expectCreated(await post({ ...body, predecessorId: idOf(next) }))
    expectOk(await update(predecessorId, { successorId: idOf(last) }))
    // It succeeds two, of which only one can be left.
    const path = `/v1/integration_oauth/${idOf(last)}`
    expectError(await t.call('DELETE', path), 'already_exists')
    expectOk(await t.call('DELETE', `/v1/integration_oauth/${idOf(next)}`))
    expectOk(await t.call('DELETE', path))
    assert.equal((await get(predecessorId)).successorId, null)
    expectError(await post({ ...body, clientId: 'x' }), 'already_exists')
  })

  it('201: a default app gets a successor with it, which is the default once the first is deleted', async () => {
    const { first, integrationDefinitionId } = await createThree()
    const next = expectCreated(
      await post({ integrationDefinitionId, clientId: 'next', predecessorId: idOf(first) }),
    )
    assert.deepEqual([next.isDefault, (await get(idOf(first))).successorId], [false, idOf(next)])
    expectOk(await t.call('DELETE', `/v1/integration_oauth/${idOf(first)}`))
    assert.equal((await get(idOf(next))).isDefault, true)
  })

  it('400: links and sessions name apps that they can use', async () => {
    const { first, second, own, integrationDefinitionId } = await createThree()
    const other = await registerOAuthApp(t)
    const link = (body: AnyBody) => t.call('POST', '/v1/link', { body: { linkName: 'a', ...body } })
    const session = (body: AnyBody) => t.call('POST', '/v1/connect_session', { body })
    const ids = [String(integrationDefinitionId)]
    for (const integrationOAuthAppId of [idOf(own), UNKNOWN_OAUTH_APP_ID, 'x'])
      expectError(await link({ integrationOAuthAppId }), 'unknown_reference')
    const mismatch = { integrationOAuthAppId: idOf(other), integrationDefinitionIds: ids }
    expectError(await link(mismatch), 'unknown_reference')
    expectError(await session(mismatch), 'unknown_reference')
    const both = { integrationOAuthAppId: idOf(first), requireCustomerApp: true }
    expectError(await link(both), 'validation_failed')
    expectError(await session({ requireCustomerApp: true }), 'validation_failed')
    expectError(await session({ allowedHosts: ['a.test'] }), 'validation_failed')
    for (const accountIdentifier of [undefined, 'c-2'])
      expectError(
        await session({ accountIdentifier, integrationOAuthAppId: idOf(own) }),
        'unknown_reference',
      )
    const { linkId, ...created } = expectCreated(
      await link({ integrationOAuthAppId: idOf(second) }),
    )
    assert.equal(created.integrationOAuthAppId, idOf(second))
    const through = { linkId, integrationOAuthAppId: idOf(first) }
    expectError(await session(through), 'unknown_reference')
    const usable = { accountIdentifier: 'c-1', integrationOAuthAppId: idOf(own) }
    assert.equal(expectCreated(await session(usable)).integrationOAuthAppId, idOf(own))
  })
}
