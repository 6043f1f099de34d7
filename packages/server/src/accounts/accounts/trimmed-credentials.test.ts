import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  expectCreated,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'

const KEY = 'glpat-1234567890'
const PEM = '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n'

describe('A key that was copied with whitespace', () => {
  let t: TestContext
  let definitionId: DefinitionId
  const received: string[] = []
  before(async () => {
    t = await testContext()
    const { url } = t.stubServer
    const properties = { api_key: { type: 'string' }, pem: { type: 'string' } }
    const spec = {
      api_base_url: `${url}/api`,
      auth_specification: {
        Key: {
          input_specification: { type: 'object', required: ['api_key'], properties },
          headers: { Authorization: 'Bearer ${' + 'api_key}' },
          'x-headers': 'complete',
        },
      },
    }
    const code = `exports.default = async (command, { config } = {}) => {
      if (command === 'SPEC') return ${JSON.stringify(spec)}
      const query = '?key=' + encodeURIComponent(config.api_key)
      const response = await fetch('${url}/api/me' + query, { headers: { Authorization: 'Bearer ' + config.api_key } })
      return { status: response.ok, error: 'refused' }
    }`
    definitionId = (await t.createDefinition({ code })).integrationDefinitionId
    t.stubServer.serve('/api/me', (request, response) => {
      const { searchParams } = new URL(request.url ?? '', url)
      received.push(request.headers.authorization ?? '')
      const isAllowed = (searchParams.get('key') ?? KEY) === KEY
      response.writeHead(isAllowed && received.at(-1) === `Bearer ${KEY}` ? 200 : 401).end('{}')
    })
  })
  after(() => t.close())

  const expectUsable = async (id: string) => {
    received.length = 0
    const account = `/v1/integration_account/${id}`
    expectOk(await t.call('GET', `${account}/proxy/me`))
    assert.deepEqual(received, [`Bearer ${KEY}`])
    const { config } = expectOk(await t.call('GET', `${account}/credentials`)) as {
      config: Record<string, unknown>
    }
    assert.deepEqual([config.api_key, config.pem], [KEY, PEM])
  }

  for (const api_key of [`${KEY}\n`, `${KEY}\r\n`, ` ${KEY} `, `\t${KEY}`, `\n${KEY}\u00a0`])
    it(`works the same in check, create, update, import and use: ${JSON.stringify(api_key)}`, async () => {
      const config = { api_key, pem: PEM }
      const body = {
        integrationDefinitionId: definitionId,
        authType: 'Key',
        workspaceId: t.workspaceId,
        config,
      }
      const check = await t.call('POST', '/v1/integration_account/check', { body })
      assert.equal(expectOk(check).status, true)
      const named = { ...body, integrationAccountName: 'K' }
      const created = expectCreated(
        await t.call('POST', '/v1/integration_account', { body: named }),
      )
      const id = String(created.integrationAccountId)
      await expectUsable(id)
      expectOk(await t.call('POST', `/v1/integration_account/${id}`, { body: { config } }))
      await expectUsable(id)
      const imported = await t.call('POST', '/v1/integration_account/import', {
        body: { ...named, externalId: `x-${JSON.stringify(api_key)}` },
      })
      await expectUsable(String(expectOk(imported).integrationAccountId))
    })
})
