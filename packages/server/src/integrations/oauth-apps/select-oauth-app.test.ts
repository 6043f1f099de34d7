import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DefinitionId } from '../definitions/definition.ts'
import { OAUTH_APP, type OAuthApp, type OAuthAppId } from './oauth-app.ts'
import { createAppSelector, selectIssuingApp, selectOAuthApp } from './select-oauth-app.ts'

const sample = OAUTH_APP.fromRow(OAUTH_APP.sampleRow)
const app = (id: string, fields: Partial<OAuthApp> = {}): OAuthApp => ({
  ...sample,
  oauthAppId: `oap_${id}`,
  isDefault: false,
  ...fields,
})
const fallback = app('default', { isDefault: true })
const second = app('second')
const own = app('own', { accountIdentifier: 'customer-1' })
const all = [second, fallback, own]
const idOf = (found: OAuthApp | undefined) => found?.oauthAppId.slice('oap_'.length)

describe('selectOAuthApp', () => {
  const cases: [string, Parameters<typeof selectOAuthApp>, string | undefined][] = [
    ['the default app, without a customer', [[second, fallback], {}], 'default'],
    ["the customer's own app before the default one", [all, {}], 'own'],
    ['the app of the account before both', [all, { accountAppId: 'oap_second' }], 'second'],
    [
      'the app that is named before all',
      [all, { requestedId: 'oap_default', accountAppId: 'oap_second' }],
      'default',
    ],
    [
      'nothing in place of a named app that is not there',
      [all, { requestedId: 'oap_x' }],
      undefined,
    ],
    ["another one if the account's is not there", [all, { accountAppId: 'oap_x' }], 'own'],
    ['nothing without a default', [[second], {}], undefined],
    [
      'only an own app where that is required',
      [[fallback], { requiresCustomerApp: true }],
      undefined,
    ],
    [
      "the own app in place of the account's where that is required",
      [all, { accountAppId: 'oap_default', requiresCustomerApp: true }],
      'own',
    ],
    [
      'nothing where an own app is required and another is named',
      [all, { requestedId: 'oap_default', requiresCustomerApp: true }],
      undefined,
    ],
  ]
  for (const [title, input, expected] of cases)
    it(`selects ${title}`, () => assert.equal(idOf(selectOAuthApp(...input)), expected))

  const last = app('last')
  const next = app('next', { successorId: last.oauthAppId })
  const succeeded = app('default', { isDefault: true, successorId: next.oauthAppId })

  it('selects the last successor, also of a named app and of that of an account', () => {
    const apps = [succeeded, next, last]
    for (const question of [
      {},
      { requestedId: succeeded.oauthAppId },
      { accountAppId: succeeded.oauthAppId },
    ])
      assert.equal(idOf(selectOAuthApp(apps, question)), 'last')
    assert.equal(idOf(selectIssuingApp(apps, {})), 'default')
  })

  it('ends at a successor that is not there, and in a cycle', () => {
    assert.equal(idOf(selectOAuthApp([succeeded], {})), 'default')
    const back = app('next', { successorId: succeeded.oauthAppId })
    assert.equal(idOf(selectOAuthApp([succeeded, back], {})), 'next')
  })
})

describe('createAppSelector', () => {
  const other: DefinitionId = 'def_other'
  const ofOther = app('other', { definitionId: other, isDefault: true })
  const byDefinition = new Map([
    [sample.definitionId, all],
    [other, [ofOther]],
  ])
  const select = (requestedId: OAuthAppId) => {
    const selectApp = createAppSelector(byDefinition, { requestedId })
    return [selectApp(sample.definitionId), selectApp(other)].map(idOf)
  }

  it('applies a named app to its own definition', () => {
    assert.deepEqual(select('oap_second'), ['second', 'other'])
  })

  it('finds none for any definition once the named app is deleted', () => {
    assert.deepEqual(select('oap_x'), [undefined, undefined])
  })
})
