import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ErrorCode } from '../src/errors.ts'
import { created, refused } from './fixtures.ts'
import { type CallOptions, type TestApp, testApp } from './test-app.ts'

/**
 * Requests that are wrong in two ways at once, for every pair of neighbours in the order of design section 4:
 * 401, 404 of a route or 405, 403 scope, 413/415/400 of the request, 403 workspace, 404 of an id in the path,
 * 400 of an id in the body, 409.
 */
describe('order of refusals', () => {
  let t: TestApp
  let foreign: string
  let weak: string
  let bound: string
  before(async () => {
    t = await testApp()
    foreign = (await t.stranger()).workspaceId
    weak = await t.mint({ scopes: ['proxy'] })
    bound = await t.mint({ workspaceId: t.workspaceId })
    created(await t.call('POST', '/v1/workspace', { body: { slug: 'taken' } }))
  })
  after(() => t.close())

  const text = { headers: { 'content-type': 'text/plain' }, payload: 'x' }
  const large = { payload: JSON.stringify({ slug: 'x'.repeat(70_000) }) }
  const broken = { payload: '{' }
  const link = 'lnk_00000000000000000000000000000000'
  const definition = 'def_01m7yye6z6e6m8f814qshnwdjc'
  const account = {
    integrationDefinitionId: definition,
    integrationAccountName: 'x',
    authType: 'Api Key',
    config: {},
  }

  type Wrong = [
    what: string,
    method: string,
    path: string | (() => string),
    more?: () => CallOptions,
  ]
  const group = (first: ErrorCode, token: () => CallOptions, rows: readonly Wrong[]) =>
    describe(`${first} comes before`, () => {
      for (const [what, method, path, more = () => ({})] of rows)
        it(`${what}: ${method} ${typeof path === 'string' ? path : ''}`, async () => {
          const url = typeof path === 'string' ? path : path()
          refused(await t.call(method, url, { ...more(), ...token() }), first)
        })
    })

  const pathRows: Wrong[] = [
    ['404 of a route', 'GET', '/v1/nope'],
    ['404 of a route', 'POST', '/v1/nope', () => text],
    ['405', 'PUT', '/v1/link', () => large],
  ]
  const requestRows: Wrong[] = [
    ['413', 'POST', '/v1/workspace', () => large],
    ['415', 'POST', '/v1/workspace', () => text],
    ['400 of the JSON', 'POST', '/v1/workspace', () => broken],
    ['400 of the JSON', 'POST', '/v1/integration_account/check', () => broken],
    ['400 of a missing body', 'POST', '/v1/link'],
    ['400 of a field', 'POST', '/v1/link', () => ({ body: { x: 1 } })],
    ['400 of the query', 'GET', '/v1/link?x=1'],
  ]
  const laterRows: Wrong[] = [
    ['403 workspace', 'GET', () => `/v1/integration_account?workspaceId=${foreign}`],
    [
      '403 workspace',
      'POST',
      '/v1/link',
      () => ({ body: { linkName: 'x', workspaceId: foreign } }),
    ],
    ['404 of an id', 'GET', `/v1/link/${link}`],
    ['404 of an id', 'DELETE', `/v1/integration_definition/${definition}`],
    ['400 of an id in the body', 'POST', '/v1/integration_account', () => ({ body: account })],
    ['409', 'POST', '/v1/workspace', () => ({ body: { slug: 'taken' } })],
  ]
  const throughProxy: Wrong[] = [
    ['404 of an id', 'GET', '/v1/integration_account/acc_x/proxy/x'],
    ['404 of an id', 'POST', '/v1/integration_account/acc_x/proxy/x', () => text],
  ]
  const everything = [...pathRows, ...requestRows, ...laterRows, ...throughProxy]
  group('token_missing', () => ({ token: null }), everything)
  group('token_invalid', () => ({ token: 'lp_nonsense' }), everything)
  group('insufficient_scope', () => ({ token: weak }), [...requestRows, ...laterRows])

  group('route_not_found', () => ({ token: weak }), [
    ['403 scope', 'GET', '/v1/nope'],
    ['413', 'POST', '/v1/nope', () => large],
    ['415', 'POST', '/v1/nope', () => text],
    ['400 of the JSON', 'POST', '/v1/nope', () => broken],
    ['400 of the query', 'GET', '/v1/nope?limit=x&limit=y'],
  ])
  group('method_not_allowed', () => ({ token: weak }), [
    ['403 scope', 'DELETE', '/v1/link'],
    ['413', 'PATCH', '/v1/link', () => large],
    ['415', 'PUT', '/v1/link', () => text],
    ['400 of the JSON', 'PUT', '/v1/link', () => broken],
    ['404 of an id', 'PUT', `/v1/link/${link}`],
  ])

  const both = (body: object) => () => ({ body: { ...body, workspaceId: foreign } })
  group('validation_failed', () => ({}), [
    ['403 workspace', 'POST', '/v1/link', both({})],
    ['403 workspace', 'POST', '/v1/integration_definition', both({ name: 'x' })],
    ['403 workspace', 'POST', '/v1/integration_account', both({ config: [] })],
    ['403 workspace', 'POST', '/v1/user/token', both({ name: '' })],
    ['404 of an id', 'POST', () => `/v1/workspace/${foreign}`, () => ({ body: { slug: '-' } })],
    ['404 of an id', 'POST', '/v1/integration_account/acc_x', () => ({ body: { x: 1 } })],
    ['404 of an id', 'POST', `/v1/integration_account/link/${link}`, () => ({ body: { x: 1 } })],
    ['409', 'POST', '/v1/workspace', () => ({ body: { slug: 'taken', x: 1 } })],
  ])
  group('invalid_parameter', () => ({}), [
    ['403 workspace', 'GET', () => `/v1/integration_account?workspaceId=${foreign}&limit=0`],
    ['403 workspace', 'GET', () => `/v1/integration_account?workspaceId=${foreign}&cursor=x`],
    ['403 workspace', 'GET', () => `/v1/link?workspaceId=${foreign}&cursor=x`],
    ['403 workspace', 'GET', () => `/v1/integration_definition?workspaceId=${foreign}&cursor=x`],
    ['403 workspace', 'GET', () => `/v1/integration_definition?workspaceId=${foreign}&category=x`],
    ['404 of an id', 'GET', `/v1/link/${link}?x=1`],
    ['404 of an id', 'DELETE', `/v1/link/${link}?x=1`],
    ['404 of an id', 'GET', `/v1/integration_definition/${definition}?x=1`],
  ])
  group('workspace_not_accessible', () => ({}), [
    [
      '404 of an id',
      'GET',
      () => `/v1/integration_definition/${definition}?workspaceId=${foreign}`,
    ],
    [
      '404 of an id',
      'GET',
      () => `/v1/integration_definition/${definition}/spec?workspaceId=${foreign}`,
    ],
    ['400 of an id in the body', 'POST', '/v1/integration_account', both(account)],
    [
      '400 of an id in the body',
      'POST',
      '/v1/link',
      both({ linkName: 'x', integrationDefinitionId: definition }),
    ],
  ])
  group('workspace_not_accessible', () => ({ token: bound }), [
    ['409', 'POST', '/v1/workspace', () => ({ body: { slug: 'taken' } })],
  ])
  const { config, authType } = account
  const throughLink = { integrationDefinitionId: definition, integrationAccountName: 'x' }
  group('link_not_found', () => ({}), [
    [
      '400 of an id in the body',
      'POST',
      `/v1/integration_account/link/${link}`,
      () => ({ body: { ...throughLink, config, authType } }),
    ],
  ])
  group('workspace_not_found', () => ({}), [
    ['409', 'POST', () => `/v1/workspace/${foreign}`, () => ({ body: { slug: 'taken' } })],
  ])

  it('tells which methods a path takes with 405', async () => {
    const answer = await t.call('PUT', '/v1/user/token')
    refused(answer, 'method_not_allowed')
    assert.equal(answer.headers.allow, 'GET, HEAD, POST')
  })
})
