import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { WholeAccountRow } from '../../../test/account-rows.ts'
import type { AnyBody } from '../../../test/any-body.ts'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectCreated, expectOk } from '../../../test/test-context.ts'
import type { AccountId } from './account.ts'
import { fillScopes } from './fill-scopes.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from './token-refresh/test/refresh-test-context.ts'

describeOnBothDatabases(
  'the scopes of accounts that an earlier version has connected',
  (newUrl) => {
    let context: RefreshTestContext
    before(async () => {
      context = await startRefreshTestContext({ url: await newUrl() })
    })
    after(() => context.close())

    const connect = async (scope: string | undefined, row: Partial<WholeAccountRow> = {}) => {
      const rules = { implied: { write: ['read'] } }
      const spec = createOAuthSpec(context.provider, { 'x-granted-scopes': rules })
      const code = createMiniBundle(spec)
      return (await context.account({ code, config: { scope }, row })).id as AccountId
    }
    const fill = async () => {
      let count = 0
      for (let read = 1; read > 0; count += read) read = await fillScopes(context.node(), 2)
      return count
    }
    const readPermissions = async (id: AccountId): Promise<AnyBody> =>
      expectOk(await context.t.call('GET', `/v1/integration_account/${id}/health`)).permissions
    const listMissing = async (scope: string): Promise<string[]> => {
      const path = `/v1/integration_account?missingScope=${scope}`
      const accounts: AnyBody[] = expectOk(await context.t.call('GET', path))
      return accounts.map(({ integrationAccountId }) => integrationAccountId)
    }

    it('are those of the last token response, or what was requested, each read once', async () => {
      const requested_scopes = JSON.stringify(['read', 'write', 'admin'])
      const neither = await connect('a b')
      const reported = await connect('write', { requested_scopes, granted_scopes: '["write"]' })
      const assumed = await connect('read write admin', { requested_scopes })
      const unreadable = await connect(undefined, { sealed_config: Buffer.from('x') })
      assert.equal((await readPermissions(reported)).source, 'unknown')
      assert.equal(await fill(), 4)
      assert.equal(await fill(), 0)
      const of = async (id: AccountId) => {
        const { requested, granted, missing, source } = await readPermissions(id)
        return [requested, granted, missing, source]
      }
      const all = JSON.parse(requested_scopes)
      assert.deepEqual(await of(neither), [null, ['a', 'b'], [], 'unknown'])
      assert.deepEqual(await of(reported), [all, ['read', 'write'], ['admin'], 'reported'])
      assert.deepEqual(await of(assumed), [all, all, [], 'assumed'])
      assert.deepEqual(await of(unreadable), [null, null, [], 'unknown'])
      assert.deepEqual(await listMissing('admin'), [reported])
    })

    it('are read again after a node of an earlier version has changed them', async () => {
      const requested_scopes = JSON.stringify(['one', 'two'])
      const id = await connect('one two', { requested_scopes, granted_scopes: '["one"]' })
      await fill()
      await context.change(id, {
        granted_scopes: '["one"]',
        scope_source: 'reported',
        scopes_at: 7,
      })
      assert.deepEqual((await readPermissions(id)).missing, ['two'])
      // As that version does after a refresh, whose response the configuration has, too.
      await context.change(id, { granted_scopes: '["one","two"]' })
      assert.equal(await fill(), 1)
      assert.deepEqual((await readPermissions(id)).missing, [])
      assert.deepEqual(await listMissing('two'), [])
    })

    it('400 and 200: the filter needs a scope, and can be combined with others', async () => {
      const { t } = context
      const bad = await t.call('GET', '/v1/integration_account?missingScope=')
      assert.equal(bad.body.error, 'invalid_parameter')
      const requested_scopes = JSON.stringify(['rare'])
      const id = await connect('x', { requested_scopes, granted_scopes: '["x"]' })
      await fill()
      for (const query of [
        'status=active',
        'order=-createdAt',
        'order=updatedAt',
        'limit=1',
        'tag=a:b',
      ]) {
        const path = `/v1/integration_account?missingScope=rare&${query}`
        const found: AnyBody[] = expectOk(await t.call('GET', path))
        const expected = query === 'tag=a:b' ? [] : [id]
        assert.deepEqual(
          found.map((each) => each.integrationAccountId),
          expected,
          query,
        )
      }
      expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
      assert.deepEqual(await listMissing('rare'), [])
    })

    it('an upgrade and its preview count the accounts that lack what it requests', async () => {
      const { t } = context
      const build = (default_scopes: string[]) =>
        createMiniBundle(createOAuthSpec(context.provider, { default_scopes }))
      const definition = await t.createDefinition({ code: build(['read']) })
      const { integrationDefinitionId: id } = definition
      const granted = [['read'], ['read'], ['read', 'write'], null]
      for (const scopes of granted) {
        const account = await connect('x', {
          requested_scopes: JSON.stringify(['read']),
          granted_scopes: scopes && JSON.stringify(scopes),
          scope_source: scopes && 'reported',
          scopes_at: 1,
        })
        await context.change(account, { definition_id: id as 'def_' })
      }
      const body = { sourceUrl: t.stubServer.bundle(build(['read', 'write', 'openid'])) }
      const path = `/v1/integration_definition/${id}`
      const preview = expectOk(await t.call('POST', `${path}/preview`, { body }))
      assert.deepEqual(preview.missingScopes, { write: 2 })
      const key = { 'idempotency-key': crypto.randomUUID() }
      const upgraded = await t.call('POST', path, { body, headers: key })
      assert.deepEqual(expectOk(upgraded).missingScopes, { write: 2 })
      const app = await t.call('GET', `/v1/integration_oauth?integrationDefinitionId=${id}`)
      assert.deepEqual(expectOk(app), [])
      expectCreated(
        await t.call('POST', '/v1/integration_oauth', {
          body: { integrationDefinitionId: id, clientId: 'c', scopes: ['more'] },
        }),
      )
      const again = expectOk(await t.call('POST', `${path}/preview`, { body }))
      assert.deepEqual(again.missingScopes, { more: 3, write: 2 })
    })
  },
)
