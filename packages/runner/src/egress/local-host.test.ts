import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import type { EgressPolicy } from './egress.ts'
import { createEgressGateway } from './egress-gateway.ts'

const HOST = 'sandbox.linchpin.invalid'
const LIMITS = { purpose: 'bundle', maxResponseBytes: 1e6, timeoutMs: 1_500 } as const
const POLICY: EgressPolicy = { ...LIMITS, maxRedirects: 0, decompress: false }

describe('A host that the gateway answers itself', () => {
  const gateway = createEgressGateway({
    allow: [],
    localHosts: new Map([
      [
        HOST,
        async (request) => {
          if (request.url.endsWith('/fails')) throw new TypeError('a mistake of the handler')
          return Response.json({ method: request.method })
        },
      ],
    ]),
  })
  after(() => gateway.close())
  const send = (url: string, method = 'GET') => gateway.request({ method, url }, POLICY)

  it('is reached over https on port 443 only, by its name in any spelling', async () => {
    for (const url of [
      `https://${HOST}/`,
      `https://${HOST.toUpperCase()}./`,
      `https://u:p@${HOST}/`,
    ])
      assert.equal((await send(url)).status, 200, url)
    // These names are resolved like any other: how that fails depends on the network.
    for (const url of [`http://${HOST}/`, `https://${HOST}:8443/`, `https://x.${HOST}/`])
      await assert.rejects(send(url), { name: 'EgressError' }, url)
    await assert.rejects(send(`https://${HOST}/`, 'TRACE'), { code: 'refused' })
  })

  it('is unreachable when its handler fails', async () => {
    await assert.rejects(send(`https://${HOST}/fails`), { code: 'unreachable' })
  })

  it('sends no content for HEAD', async () => {
    assert.equal((await send(`https://${HOST}/`, 'HEAD')).body.length, 0)
    const policy = { ...LIMITS, idleMs: 1_000 }
    const { body } = await gateway.stream({ method: 'HEAD', url: `https://${HOST}/` }, policy)
    assert.equal((await buffer(body)).length, 0)
  })

  it('waits for a body until the deadline, and destroys it', async () => {
    const body = new Readable({ read() {} })
    const request = { method: 'POST', url: `https://${HOST}/`, body }
    await assert.rejects(gateway.stream(request, { ...LIMITS, idleMs: 1_000 }), { code: 'timeout' })
    assert.ok(body.destroyed)
  })
})
