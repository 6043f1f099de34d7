import assert from 'node:assert/strict'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { EgressGateway, Tenant } from '@linchpin/runner'
import { buildOAuthType, listen, openEgressGateway, serve, suiteCleanup } from '../test/servers.ts'
import type { TokenResult, TokenUnavailableResult } from '../token-response/token-result.ts'
import { ANY_ENDPOINT } from './client-request.ts'
import { refreshTokens } from './token-endpoint.ts'

let egressGateway: EgressGateway
const servers = { origins: new Map<string, string>() }

/** Servers that read the whole request and then fail. */
const READ_THEN_FAIL: Record<string, (socket: Socket) => void> = {
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'closes the connection': (socket) => socket.end(),
  'does not speak HTTP': (socket) => socket.end('SSH-2.0-OpenSSH\r\n'),
  'closes inside the body': (socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"access_token":'),
  'resets inside the body': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"access', () =>
      socket.resetAndDestroy(),
    )
  },
}

describe('a token request without a response', () => {
  const suite = suiteCleanup()
  before(async () => {
    egressGateway = openEgressGateway(suite)
    for (const [title, fail] of Object.entries(READ_THEN_FAIL)) {
      const server = createTcpServer((socket) => {
        socket.on('error', () => {})
        socket.on('data', (data) => {
          if (data.includes('refresh_token=rt-1')) fail(socket)
        })
      })
      servers.origins.set(title, await listen(suite, server))
    }
  })

  for (const title of Object.keys(READ_THEN_FAIL)) {
    it(`may be lost if the server reads it and ${title}`, async () => {
      assert.deepEqual(await refreshAt(servers.origins.get(title) ?? ''), {
        kind: 'unavailable',
        reason: 'unreachable',
        replyMayBeLost: true,
      })
    })
  }

  it('is not lost if the connection is refused', async () => {
    const server = createTcpServer()
    const origin = await listen({ after: () => {} }, server)
    await new Promise((resolve) => server.close(resolve))
    assert.deepEqual(await refreshAt(origin), expectedUnavailable('unreachable', false))
  })

  it('is not lost if the egress policy refuses the address', async () => {
    for (const origin of ['http://10.0.0.1', 'http://[::1]:1', 'https://name.invalid']) {
      assert.deepEqual(await refreshAt(origin), expectedUnavailable('unreachable', false), origin)
    }
  })

  it('is not lost if the circuit of the host is open, and reports the retry delay', async (test) => {
    const origin = await serve(suite, () => {})
    const failingGateway = openEgressGateway(test, { minTimeoutMs: 100, timeouts: 1 })
    const tenant = { workspaceId: 'w' }
    for (let attempts = 0; attempts < 20 && failingGateway.circuits().open === 0; attempts += 1)
      await refreshAt(origin, withTimeout(failingGateway, 150), undefined, tenant)
    const { retryAfterMs = 0, ...result } = await expectUnavailable(
      refreshAt(origin, failingGateway, undefined, tenant),
    )
    assert.deepEqual(result, expectedUnavailable('unreachable', false))
    assert.ok(retryAfterMs > 0 && retryAfterMs <= 10_000)
  })

  it('may be lost if the server sends nothing until the deadline', async () => {
    const origin = await serve(suite, () => {})
    assert.deepEqual(
      await refreshAt(origin, withTimeout(egressGateway, 150)),
      expectedUnavailable('timeout', true),
    )
  })

  it('may be lost if the response is still incomplete at the deadline', async () => {
    const origin = await serve(suite, async (_request, response) => {
      while (!response.destroyed) {
        response.write(' ')
        await sleep(20)
      }
    })
    assert.deepEqual(
      await refreshAt(origin, withTimeout(egressGateway, 200)),
      expectedUnavailable('timeout', true),
    )
  })

  it('may be lost if the response exceeds 64 kB, compressed or not', async () => {
    const largeBody = `{"access_token":"a","x":"${'x'.repeat(10_000_000)}"}`
    for (const isCompressed of [false, true]) {
      const origin = await serve(suite, (_request, response) => {
        if (isCompressed) response.setHeader('content-encoding', 'gzip')
        response.end(isCompressed ? gzipSync(largeBody) : largeBody)
      })
      assert.deepEqual(await refreshAt(origin), expectedUnavailable('invalid_response', true))
    }
  })

  it('decodes a compressed response', async () => {
    const origin = await serve(suite, (_request, response) => {
      response.setHeader('content-encoding', 'gzip').end(gzipSync('{"access_token":"at-1"}'))
    })
    assert.equal((await refreshAt(origin)).kind, 'tokens')
  })

  it('may be lost if the caller aborts', async () => {
    const origin = await serve(suite, () => {})
    const result = await refreshAt(origin, egressGateway, AbortSignal.timeout(100))
    assert.deepEqual(result, expectedUnavailable('timeout', true))
  })
})

function expectedUnavailable(reason: string, replyMayBeLost: boolean): object {
  return { kind: 'unavailable', reason, replyMayBeLost }
}

async function expectUnavailable(pending: Promise<TokenResult>): Promise<TokenUnavailableResult> {
  const result = await pending
  assert.ok(result.kind === 'unavailable')
  return result
}

async function refreshAt(
  origin: string,
  gateway = egressGateway,
  signal?: AbortSignal,
  tenant?: Tenant,
): Promise<TokenResult> {
  const client = { clientId: 'c', clientSecret: 'a-client-secret', endpoints: ANY_ENDPOINT }
  const refreshRequest = {
    type: buildOAuthType(origin),
    client,
    refreshToken: 'rt-1',
    values: {},
    signal,
    tenant,
  }
  return await refreshTokens({ egressGateway: gateway, now: Date.now }, refreshRequest)
}

/** The same egress gateway with a shorter timeout. */
function withTimeout(gateway: EgressGateway, timeoutMs: number): EgressGateway {
  return {
    request: (request, policy) => gateway.request(request, { ...policy, timeoutMs }),
    stream: (request, policy) => gateway.stream(request, policy),
    validate: (url, policy) => gateway.validate(url, policy),
    circuits: () => gateway.circuits(),
    close: () => gateway.close(),
  }
}
