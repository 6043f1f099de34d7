import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  countRows,
  expectError,
  type TestContext,
  testContext,
} from '../../../../test/test-context.ts'

const THROWS = `
const http = require('http')
const get = (url) => new Promise((resolve, reject) => http.get(url, resolve).on('error', reject))
exports.default = async (command, params) => {
  if (command === 'SPEC')
    return { auth_specification: { 'Api Key': { input_specification: { type: 'object', properties: { api_key: { type: 'string' }, url: { type: 'string' } } } } } }
  const answer = await get(params.config.url)
  throw new Error('status ' + answer.statusCode)
}`

describe('POST /v1/integration_account with a bundle that throws', () => {
  let t: TestContext
  let integrationDefinitionId: string
  before(async () => {
    t = await testContext()
    integrationDefinitionId = String(
      (await t.createDefinition({ code: THROWS })).integrationDefinitionId,
    )
    t.stubServer.serve('/down', (_request, response) => void response.writeHead(503).end())
    t.stubServer.serve('/fine', (_request, response) => void response.end('{}'))
  })
  after(() => t.close())

  const body = (url: string) => ({
    integrationDefinitionId,
    authType: 'Api Key',
    config: { api_key: 'k', url },
  })
  const create = (url: string) =>
    t.call('POST', '/v1/integration_account', {
      body: { ...body(url), integrationAccountName: 'a' },
    })
  const check = (url: string) =>
    t.call('POST', '/v1/integration_account/check', { body: body(url) })

  it('POST /v1/integration_account: 502 provider_error if the bundle throws while the provider is down', async () => {
    expectError(await create(`${t.stubServer.url}/down`), 'provider_error')
    expectError(await check(`${t.stubServer.url}/down`), 'provider_error')
    expectError(await check('http://127.0.0.1:1/'), 'provider_error')
    assert.equal(await countRows(t, 'accounts'), 0)
  })

  it('POST /v1/integration_account: 502 integration_failed if the bundle throws after the provider answered', async () => {
    expectError(await create(`${t.stubServer.url}/fine`), 'integration_failed')
    expectError(await check(`${t.stubServer.url}/fine`), 'integration_failed')
    const { error, err, cause } = JSON.parse(
      t.logs.findLast((line) => line.includes('502')) ?? '{}',
    )
    assert.deepEqual([error, err], ['integration_failed', undefined])
    assert.match(cause, /status 200/, 'the log says why')
  })
})
