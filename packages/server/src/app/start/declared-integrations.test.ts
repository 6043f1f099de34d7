import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { processTree } from '../../../../runner/test/process-tree.ts'
import {
  createServiceSetup,
  type ServiceProcess,
  type ServiceSetup,
  startService,
} from '../../../test/reliability/service-process.ts'

const GOOD = `Basic ${Buffer.from('ck_good:cs_good').toString('base64')}`

describe('integrations of the catalogue that are data', () => {
  let shop: Server
  let setup: ServiceSetup
  let service: ServiceProcess
  const received: (string | undefined)[] = []
  before(async () => {
    shop = createServer((request, response) => {
      received.push(request.url)
      const isGood = request.headers.authorization === GOOD
      const message = `${request.headers.authorization} is unknown`
      response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' })
      response.end(isGood ? '[]' : JSON.stringify({ message }))
    }).listen(0, '127.0.0.1')
    await once(shop, 'listening')
    setup = await createServiceSetup()
    service = await startService(setup)
  })
  after(async () => {
    await service?.stop()
    await setup?.remove()
    shop?.close()
    shop?.closeAllConnections()
  })

  const countChildren = () => processTree(service.pid).length - 1
  const body = (key: string) => ({
    integrationDefinitionId: 'woocommerce',
    authType: 'Api Key',
    config: {
      base_url: `http://127.0.0.1:${(shop.address() as AddressInfo).port}`,
      consumer_key: key,
      consumer_secret: 'cs_good',
    },
  })
  const call = (path: string, content: object) =>
    service.call('POST', `/v1/integration_account${path}`, content)

  it('are checked without a child process, and their requests are recorded', async () => {
    const bad = await call('/check', body('ck_bad'))
    assert.deepEqual([bad.status, bad.body.status, bad.body.field], [200, false, 'consumer_key'])
    const created = await call('', { ...body('ck_good'), integrationAccountName: 'Shop' })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    assert.deepEqual(received, Array(2).fill('/wp-json/wc/v3/products?per_page=1'))
    const { integrationAccountId: id } = created.body
    await call(`/${id}/debug`, { seconds: 60 })
    const verified = await call(`/${id}/check`, {})
    assert.equal(verified.body.status, true, JSON.stringify(verified.body))
    const exchange = await readExchange(id)
    assert.match(exchange.url, /\/wp-json\/wc\/v3\/products\?per_page=1$/)
    assert.doesNotMatch(JSON.stringify(exchange), /cs_good|Y2tfZ29vZD/)
    assert.equal(countChildren(), 0)
  })

  it('have patterns that are validated without a child process', async () => {
    const { status, body: error } = await call('/check', {
      integrationDefinitionId: 'zendesk',
      authType: 'Api Key',
      config: { subdomain: 'Not a subdomain!', email: 'ada@example.com', api_key: 'k' },
    })
    assert.equal(status, 400, JSON.stringify(error))
    assert.equal(error.errors['config.subdomain']?.[0]?.code, 'pattern', JSON.stringify(error))
    assert.equal(countChildren(), 0)
  })

  it('leave the first child process to the first bundle', async () => {
    const code = `module.exports = async (command) => command === 'SPEC' ? { auth_specification: { Key: {} } } : { status: true }`
    const { status, body: error } = await service.call('POST', '/v1/integration_definition', {
      name: 'Own',
      integrationType: 'OTHER',
      bundle: Buffer.from(code).toString('base64'),
    })
    assert.equal(status, 201, JSON.stringify(error))
    assert.ok(countChildren() > 0)
  })

  /** What the debug window of an account has recorded first. */
  async function readExchange(id: string) {
    for (const end = Date.now() + 60_000; Date.now() < end; ) {
      const path = `/v1/request?kind=provider&integrationAccountId=${id}`
      const [entry] = (await service.call('GET', path)).body
      if (entry?.hasExchange)
        return (await service.call('GET', `/v1/request/${entry.requestLogId}`)).body.exchange
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return assert.fail('no exchange was recorded')
  }
})
