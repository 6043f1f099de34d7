import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { createEgressGateway, type EgressGatewayOptions, parseAllowList } from '@linchpin/runner'
import {
  listForbiddenUrls,
  PRIVATE_HOSTS,
  resolveCorpusHost,
} from '../../../../runner/test/egress/ssrf-corpus.ts'
import { createExampleEvent } from '../../app/observability/openapi.ts'
import { newId } from '../../platform/storage/id.ts'
import { generateSigningSecret, parseSigningSecret } from './endpoint-secrets.ts'
import { sendWebhook } from './send-webhook.ts'
import { startReceiver } from './test/receiver.ts'

const workspaceId = newId('wsp', Date.now())
const keys = [parseSigningSecret(generateSigningSecret('v1'))]

function open(options: EgressGatewayOptions) {
  const egressGateway = createEgressGateway(options)
  const event = createExampleEvent('account.created', workspaceId, Date.now())
  return {
    send: (url: string) => {
      const endpoint = { url, workspaceId, payload: 'full', version: 1 } as const
      const attempt = { event, endpoint, keys, headers: {}, redact: String, attempt: 1 }
      return sendWebhook({ egressGateway, now: Date.now }, attempt)
    },
    close: () => egressGateway.close(),
  }
}

describe('sendWebhook', () => {
  it('sends nothing to any forbidden URL, whatever was validated before', async () => {
    const receiver = await startReceiver()
    const { send, close } = open({ allow: [], resolve: resolveCorpusHost })
    const { port } = new URL(receiver.url)
    const urls = [
      ...PRIVATE_HOSTS.flatMap((host) => [`https://${host}/x`, `http://${host}:${port}/x`]),
      ...listForbiddenUrls(Number(port)),
    ]
    assert.ok(new Set(urls).size >= 250)
    for (const url of urls)
      assert.deepEqual([(await send(url)).code, url], ['address_forbidden', url])
    assert.equal(receiver.received.length, 0)
    await close()
    await receiver.close()
  })

  it('sends nothing to the address that a name is rebound to', async () => {
    const receiver = await startReceiver()
    const port = Number(new URL(receiver.url).port)
    let hits = 0
    const canary = createServer((socket) => {
      hits += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => canary.listen(port, '127.0.0.2', resolve))
    let lookups = 0
    const { send, close } = open({
      allow: parseAllowList('webhook=127.0.0.1'),
      resolve: async () => [{ address: `127.0.0.${lookups++ % 2 === 0 ? 1 : 2}`, family: 4 }],
    })
    for (let count = 0; count < 100; count += 1) {
      const { code } = await send(`http://rebinding.example:${port}/`)
      assert.equal(code, count % 2 === 0 ? null : 'address_forbidden')
    }
    assert.deepEqual([lookups, receiver.received.length, hits], [100, 50, 0])
    await close()
    await receiver.close()
    canary.close()
  })

  it('fails a redirect to a forbidden address without following it', async () => {
    const target = await startReceiver()
    const receiver = await startReceiver((response) =>
      response.writeHead(307, { location: target.url }).end(),
    )
    const { send, close } = open({ allow: parseAllowList('webhook=127.0.0.1') })
    assert.equal((await send(receiver.url)).code, 'status_307')
    assert.deepEqual([receiver.received.length, target.received.length], [1, 0])
    await close()
    await receiver.close()
    await target.close()
  })
})
