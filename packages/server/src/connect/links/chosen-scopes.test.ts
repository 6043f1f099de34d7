import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { expectCreated, expectError, expectOk, testContext } from '../../../test/test-context.ts'
import type { PageTestContext } from '../connect-page/test/page-test-context.ts'
import { pressStart } from '../connect-page/test/test-visitor.ts'
import type { StubProviderContext } from '../oauth-flow/test/stub-provider-context.ts'

describe('the scopes of links and connect sessions', () => {
  let t: StubProviderContext & PageTestContext
  before(async () => {
    const auth = { default_scopes: ['identity', 'read'], 'x-required-scopes': ['identity'] }
    t = await testContext({ provider: { auth }, pages: true })
    await updateApp({ scopes: ['app'], optionalScopes: ['one', 'two', 'three'] })
  })
  after(() => t.close())

  const updateApp = async (body: AnyBody) =>
    expectOk(await t.call('POST', `/v1/integration_oauth/${t.appId}`, { body }))
  const postLink = (scopes: AnyBody, more: AnyBody = {}) =>
    t.call('POST', '/v1/link', { body: { linkName: 'a', scopes, ...more } })
  const readScopes = (location: string | undefined) =>
    new URL(location ?? '').searchParams.get('scope')?.split(' ')
  /** What a sign-in on the page of a link requests. */
  const visit = async (path: string) => {
    const visitor = t.visitor()
    return readScopes((await visitor.submit(await visitor.get(path))).location)
  }
  const openSession = async (body: AnyBody) => {
    const session = expectCreated(await t.call('POST', '/v1/connect_session', { body }))
    const visitor = t.visitor()
    const pressed = await pressStart(visitor, session.url)
    return readScopes((await visitor.submit(await visitor.get(pressed.location ?? ''))).location)
  }

  it('are those of the integration and of the app, or in place of them, without what it requires', async () => {
    const linkId = expectCreated(
      await postLink({}, { integrationDefinitionId: t.definitionId }),
    ).linkId
    assert.deepEqual(await visit(`/link/${linkId}`), ['identity', 'read', 'app'])
    await updateApp({ scopesMode: 'replace' })
    assert.deepEqual(await visit(`/link/${linkId}`), ['app', 'identity'])
    const page = await t.start()
    assert.deepEqual(readScopes(await t.browser.begin(page)), ['app', 'identity'])
    await updateApp({ scopesMode: 'add' })
  })

  it('of a link for three features are exactly their union, and fixed', async () => {
    const scopes = ['identity', 'one', 'two', 'three', 'one']
    const link = expectCreated(
      await postLink({ [t.definitionId]: scopes }, { integrationDefinitionId: t.definitionId }),
    )
    const expected = ['identity', 'one', 'two', 'three']
    assert.deepEqual(link.scopes, { [t.definitionId]: expected })
    assert.deepEqual(await visit(`/link/${link.linkId}`), expected)
    await updateApp({ optionalScopes: ['one'] })
    assert.deepEqual(await visit(`/link/${link.linkId}`), expected)
    await updateApp({ optionalScopes: ['one', 'two', 'three'] })
    const body = { scopes: { [t.definitionId]: ['identity'] } }
    expectError(await t.call('POST', `/v1/link/${link.linkId}`, { body }), 'validation_failed')
  })

  it('of a session come before those of its link', async () => {
    const integrationDefinitionId = t.definitionId
    const { linkId } = expectCreated(
      await postLink({ [t.definitionId]: ['identity', 'one'] }, { integrationDefinitionId }),
    )
    assert.deepEqual(await openSession({ linkId }), ['identity', 'one'])
    const scopes = { [t.definitionId]: ['identity', 'two'] }
    assert.deepEqual(await openSession({ linkId, scopes }), ['identity', 'two'])
    const integrationDefinitionIds = [t.definitionId]
    assert.deepEqual(await openSession({ integrationDefinitionIds, scopes }), ['identity', 'two'])
  })

  it('may name a definition by its key', async () => {
    const { key } = expectOk(await t.call('GET', `/v1/integration_definition/${t.definitionId}`))
    const { scopes } = expectCreated(await postLink({ [key]: ['identity'] }))
    assert.deepEqual(scopes, { [t.definitionId]: ['identity'] })
  })

  it('400: each scope that is not allowed, and each definition without a required one', async () => {
    for (const [scopes, fields] of [
      [
        ['identity', 'x', 'one', 'y'],
        ['.1', '.3'],
      ],
      [['one'], ['']],
      [['x'], ['.0', '']],
      [[], ['']],
    ] as const) {
      const refused = await postLink({ [t.definitionId]: scopes })
      expectError(refused, 'scope_not_allowed')
      const expected = fields.map((field) => `scopes.${t.definitionId}${field}`)
      assert.deepEqual(Object.keys(refused.body.errors), expected)
      const body = { scopes: { [t.definitionId]: scopes } }
      expectError(await t.call('POST', '/v1/connect_session', { body }), 'scope_not_allowed')
    }
  })

  it('400: unknown definitions, those that are not offered, and those without a sign-in', async () => {
    const code = createMiniBundle({ auth_specification: { 'Api Key': {} } })
    const { integrationDefinitionId: other } = await t.createDefinition({ code })
    expectError(await postLink({ [other]: ['a'] }), 'auth_type_not_allowed')
    expectError(await postLink({ nothing: ['a'] }), 'unknown_reference')
    const restricted = { integrationDefinitionId: other }
    const refused = await postLink({ [t.definitionId]: ['identity'] }, restricted)
    expectError(refused, 'unknown_reference')
    assert.deepEqual(Object.keys(refused.body.errors), [`scopes.${t.definitionId}`])
  })

  it('400: what is no list of scopes', async () => {
    const many = Array.from({ length: 101 }, () => 'identity')
    for (const scopes of [
      { [t.definitionId]: 'identity' },
      { [t.definitionId]: ['a b'] },
      { [t.definitionId]: [''] },
      { [t.definitionId]: [7] },
      { [t.definitionId]: many },
      { '': ['a'] },
      { 'a b': ['a'] },
      ['identity'],
      'identity',
    ])
      expectError(await postLink(scopes), 'validation_failed')
    for (const key of ['__proto__', 'constructor', 'toString'])
      assert.equal((await postLink(JSON.parse(`{"${key}":["a"]}`))).status, 400)
  })
})
