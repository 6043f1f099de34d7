import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { createDataFolder, startMain } from '../../../test/main-process.ts'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { startStubServer } from '../../../test/stub-server.ts'
import { generateAccessToken } from '../../access/auth/access-token.ts'

const TOKEN = generateAccessToken()
const WAIT = { timeout: 20_000 }
type Line = Record<string, unknown> & { detail?: string; reqId?: string; job?: string }

describe('Log lines of outgoing requests', () => {
  it('have the request ID of the request that caused them, or the name of the background job', async (t) => {
    const stub = await startStubServer()
    t.after(() => stub.close())
    const service = await startMain(t, {
      LINCHPIN_DATA_DIR: await createDataFolder(),
      LINCHPIN_TOKEN: TOKEN,
      LINCHPIN_EGRESS_ALLOW: '127.0.0.0/8',
      LINCHPIN_LOG_FORMAT: 'json',
    })
    const post = async (path: string, body: unknown) => {
      const response = await fetch(`${service.url}/api/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const { status, headers } = response
      const json = (await response.json()) as AnyBody
      return { status, requestId: headers.get('x-request-id'), body: json }
    }
    const findLines = (text: string) =>
      service
        .stdout()
        .split('\n')
        .filter((line) => line.includes('an outgoing request failed') && line.includes(text))
        .map((line) => JSON.parse(line) as Line)

    const definition = await post('/integration_definition', {
      name: 'Mini',
      integrationType: 'TICKETING',
      sourceUrl: stub.bundle(createMiniBundle()),
    })
    assert.equal(definition.status, 201, JSON.stringify(definition.body))
    // Calls of one child, with connections that a previous request may have opened.
    const hosts = Array.from({ length: 12 }, (_, index) => `127.0.0.${index + 20}:1`)
    const checks = await Promise.all(
      hosts.map((host) =>
        post('/integration_account/check', {
          integrationDefinitionId: definition.body.integrationDefinitionId,
          authType: 'Api Key',
          config: { api_key: 'key_that_works', base_url: `http://${host}` },
        }),
      ),
    )
    for (const [index, { status, requestId, body }] of checks.entries()) {
      assert.equal(status, 200, JSON.stringify(body))
      await t.waitFor(() => assert.equal(findLines(`${hosts[index]}`).length, 1), WAIT)
      const [line] = findLines(`${hosts[index]}`)
      assert.equal(line?.reqId, requestId, JSON.stringify(line))
    }

    const endpoint = await post('/webhook_endpoint', {
      url: 'http://127.0.0.99:1/hook',
      types: ['link.created'],
    })
    assert.equal(endpoint.status, 201, JSON.stringify(endpoint.body))
    assert.equal((await post('/link', { linkName: 'a' })).status, 201)
    await t.waitFor(() => assert.notEqual(findLines('127.0.0.99').length, 0), WAIT)
    for (const { job, reqId } of findLines('127.0.0.99'))
      assert.deepEqual({ job, reqId }, { job: 'webhooks', reqId: undefined })
  })
})
