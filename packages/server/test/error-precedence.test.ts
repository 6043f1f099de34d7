import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ErrorCode } from '../src/platform/error-codes.ts'
import { type CallOptions, type TestApp, testApp } from './test-app.ts'
import { expectCreated, expectError } from './test-context.ts'

/**
 * Requests with two errors, for every pair of neighbours in the documented precedence:
 * 401, 404 of a route or 405, 403 scope, 413/415/400 of the request, 403 workspace, 404 of an id in the path,
 * 400 of an id in the body, 409.
 */
describe('Precedence of errors', () => {
  let t: TestApp
  let otherWorkspaceId: string
  let proxyOnlyToken: string
  let boundToken: string
  before(async () => {
    t = await testApp()
    otherWorkspaceId = (await t.otherUser()).workspaceId
    proxyOnlyToken = await t.createToken({ scopes: ['proxy'] })
    boundToken = await t.createToken({ workspaceId: t.workspaceId })
    expectCreated(await t.call('POST', '/v1/workspace', { body: { slug: 'taken' } }))
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

  type FailingRequest = [
    what: string,
    method: string,
    path: string | (() => string),
    more?: () => CallOptions,
  ]
  const expectPrecedence = (
    expectedCode: ErrorCode,
    token: () => CallOptions,
    rows: readonly FailingRequest[],
  ) =>
    describe(`${expectedCode} comes before`, () => {
      for (const [description, method, path, options = () => ({})] of rows)
        it(`${description}: ${method} ${typeof path === 'string' ? path : ''}`, async () => {
          const url = typeof path === 'string' ? path : path()
          expectError(await t.call(method, url, { ...options(), ...token() }), expectedCode)
        })
    })

  const pathRows: FailingRequest[] = [
    ['404 of a route', 'GET', '/v1/nope'],
    ['404 of a route', 'POST', '/v1/nope', () => text],
    ['405', 'PUT', '/v1/link', () => large],
  ]
  const requestRows: FailingRequest[] = [
    ['413', 'POST', '/v1/workspace', () => large],
    ['415', 'POST', '/v1/workspace', () => text],
    ['400 of the JSON', 'POST', '/v1/workspace', () => broken],
    ['400 of the JSON', 'POST', '/v1/integration_account/check', () => broken],
    ['400 of a missing body', 'POST', '/v1/link'],
    ['400 of a field', 'POST', '/v1/link', () => ({ body: { x: 1 } })],
    ['400 of the query', 'GET', '/v1/link?x=1'],
  ]
  const laterRows: FailingRequest[] = [
    ['403 workspace', 'GET', () => `/v1/integration_account?workspaceId=${otherWorkspaceId}`],
    [
      '403 workspace',
      'POST',
      '/v1/link',
      () => ({ body: { linkName: 'x', workspaceId: otherWorkspaceId } }),
    ],
    ['404 of an id', 'GET', `/v1/link/${link}`],
    ['404 of an id', 'DELETE', `/v1/integration_definition/${definition}`],
    ['400 of an id in the body', 'POST', '/v1/integration_account', () => ({ body: account })],
    ['409', 'POST', '/v1/workspace', () => ({ body: { slug: 'taken' } })],
  ]
  const proxyRows: FailingRequest[] = [
    ['404 of an id', 'GET', '/v1/integration_account/acc_x/proxy/x'],
    ['404 of an id', 'POST', '/v1/integration_account/acc_x/proxy/x', () => text],
  ]
  const allRows = [...pathRows, ...requestRows, ...laterRows, ...proxyRows]
  expectPrecedence('token_missing', () => ({ token: null }), allRows)
  expectPrecedence('token_invalid', () => ({ token: 'lp_nonsense' }), allRows)
  expectPrecedence('insufficient_scope', () => ({ token: proxyOnlyToken }), [
    ...requestRows,
    ...laterRows,
  ])

  expectPrecedence('route_not_found', () => ({ token: proxyOnlyToken }), [
    ['403 scope', 'GET', '/v1/nope'],
    ['413', 'POST', '/v1/nope', () => large],
    ['415', 'POST', '/v1/nope', () => text],
    ['400 of the JSON', 'POST', '/v1/nope', () => broken],
    ['400 of the query', 'GET', '/v1/nope?limit=x&limit=y'],
  ])
  expectPrecedence('method_not_allowed', () => ({ token: proxyOnlyToken }), [
    ['403 scope', 'DELETE', '/v1/link'],
    ['413', 'PATCH', '/v1/link', () => large],
    ['415', 'PUT', '/v1/link', () => text],
    ['400 of the JSON', 'PUT', '/v1/link', () => broken],
    ['404 of an id', 'PUT', `/v1/link/${link}`],
  ])

  const withOtherWorkspace = (body: object) => () => ({
    body: { ...body, workspaceId: otherWorkspaceId },
  })
  expectPrecedence('validation_failed', () => ({}), [
    ['403 workspace', 'POST', '/v1/link', withOtherWorkspace({})],
    ['403 workspace', 'POST', '/v1/integration_definition', withOtherWorkspace({ name: 'x' })],
    ['403 workspace', 'POST', '/v1/integration_account', withOtherWorkspace({ config: [] })],
    ['403 workspace', 'POST', '/v1/user/token', withOtherWorkspace({ name: '' })],
    [
      '404 of an id',
      'POST',
      () => `/v1/workspace/${otherWorkspaceId}`,
      () => ({ body: { slug: '-' } }),
    ],
    ['404 of an id', 'POST', '/v1/integration_account/acc_x', () => ({ body: { x: 1 } })],
    ['404 of an id', 'POST', `/v1/integration_account/link/${link}`, () => ({ body: { x: 1 } })],
    ['409', 'POST', '/v1/workspace', () => ({ body: { slug: 'taken', x: 1 } })],
  ])
  expectPrecedence('invalid_parameter', () => ({}), [
    [
      '403 workspace',
      'GET',
      () => `/v1/integration_account?workspaceId=${otherWorkspaceId}&limit=0`,
    ],
    [
      '403 workspace',
      'GET',
      () => `/v1/integration_account?workspaceId=${otherWorkspaceId}&cursor=x`,
    ],
    ['403 workspace', 'GET', () => `/v1/link?workspaceId=${otherWorkspaceId}&cursor=x`],
    [
      '403 workspace',
      'GET',
      () => `/v1/integration_definition?workspaceId=${otherWorkspaceId}&cursor=x`,
    ],
    [
      '403 workspace',
      'GET',
      () => `/v1/integration_definition?workspaceId=${otherWorkspaceId}&category=x`,
    ],
    ['404 of an id', 'GET', `/v1/link/${link}?x=1`],
    ['404 of an id', 'DELETE', `/v1/link/${link}?x=1`],
    ['404 of an id', 'GET', `/v1/integration_definition/${definition}?x=1`],
  ])
  expectPrecedence('workspace_not_accessible', () => ({}), [
    [
      '404 of an id',
      'GET',
      () => `/v1/integration_definition/${definition}?workspaceId=${otherWorkspaceId}`,
    ],
    [
      '404 of an id',
      'GET',
      () => `/v1/integration_definition/${definition}/spec?workspaceId=${otherWorkspaceId}`,
    ],
    ['400 of an id in the body', 'POST', '/v1/integration_account', withOtherWorkspace(account)],
    [
      '400 of an id in the body',
      'POST',
      '/v1/link',
      withOtherWorkspace({ linkName: 'x', integrationDefinitionId: definition }),
    ],
  ])
  expectPrecedence('workspace_not_accessible', () => ({ token: boundToken }), [
    ['409', 'POST', '/v1/workspace', () => ({ body: { slug: 'taken' } })],
  ])
  const { config, authType } = account
  const throughLink = { integrationDefinitionId: definition, integrationAccountName: 'x' }
  expectPrecedence('link_not_found', () => ({}), [
    [
      '400 of an id in the body',
      'POST',
      `/v1/integration_account/link/${link}`,
      () => ({ body: { ...throughLink, config, authType } }),
    ],
  ])
  expectPrecedence('workspace_not_found', () => ({}), [
    ['409', 'POST', () => `/v1/workspace/${otherWorkspaceId}`, () => ({ body: { slug: 'taken' } })],
  ])

  it('405 lists the methods of the path in Allow', async () => {
    const response = await t.call('PUT', '/v1/user/token')
    expectError(response, 'method_not_allowed')
    assert.equal(response.headers.allow, 'GET, HEAD, POST')
  })
})
