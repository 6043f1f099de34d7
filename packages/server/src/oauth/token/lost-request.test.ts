import assert from 'node:assert/strict'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Gate, Tenant } from '@linchpin/runner'
import type { TokenResult, Unavailable } from '../answer/token-result.ts'
import { listen, oauthType, openGate, serve, suiteCleanup } from '../test/servers.ts'
import { ANY_ENDPOINT } from './client-request.ts'
import { refreshTokens } from './token-endpoint.ts'

let gate: Gate
const suiteOf = { origins: new Map<string, string>() }

/** Servers that take the whole request and then do something else than answer it. */
const AFTER_READING: Record<string, (socket: Socket) => void> = {
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'closes the connection': (socket) => socket.end(),
  'speaks no HTTP': (socket) => socket.end('SSH-2.0-OpenSSH\r\n'),
  'breaks off in the body': (socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"access_token":'),
  'resets in the body': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"access', () =>
      socket.resetAndDestroy(),
    )
  },
}

describe('a request that gets no answer', () => {
  const suite = suiteCleanup()
  before(async () => {
    gate = openGate(suite)
    for (const [title, act] of Object.entries(AFTER_READING)) {
      const server = createTcpServer((socket) => {
        socket.on('error', () => {})
        socket.on('data', (data) => {
          if (data.includes('refresh_token=rt-1')) act(socket)
        })
      })
      suiteOf.origins.set(title, await listen(suite, server))
    }
  })

  for (const title of Object.keys(AFTER_READING)) {
    it(`may be lost when the server reads it and ${title}`, async () => {
      assert.deepEqual(await renew(suiteOf.origins.get(title) ?? ''), {
        kind: 'unavailable',
        reason: 'unreachable',
        replyMayBeLost: true,
      })
    })
  }

  it('is not lost when nobody listens', async () => {
    const server = createTcpServer()
    const origin = await listen({ after: () => {} }, server)
    await new Promise((resolve) => server.close(resolve))
    assert.deepEqual(await renew(origin), unavailable('unreachable', false))
  })

  it('is not lost when the address is refused', async () => {
    for (const origin of ['http://10.0.0.1', 'http://[::1]:1', 'https://name.invalid']) {
      assert.deepEqual(await renew(origin), unavailable('unreachable', false), origin)
    }
  })

  it('is not lost when the circuit of the host is open, and says how long to wait', async (test) => {
    const origin = await serve(suite, () => {})
    const broken = openGate(test, { leastMs: 100, timeouts: 1 })
    const tenant = { workspaceId: 'w' }
    for (let tries = 0; tries < 20 && broken.circuits().open === 0; tries += 1)
      await renew(origin, hasty(broken, 150), undefined, tenant)
    const { retryAfterMs = 0, ...result } = await unavailableOf(
      renew(origin, broken, undefined, tenant),
    )
    assert.deepEqual(result, unavailable('unreachable', false))
    assert.ok(retryAfterMs > 0 && retryAfterMs <= 10_000)
  })

  it('may be lost when the server takes it and says nothing until the deadline', async () => {
    const origin = await serve(suite, () => {})
    assert.deepEqual(await renew(origin, hasty(gate, 150)), unavailable('timeout', true))
  })

  it('may be lost when the answer drips past the deadline', async () => {
    const origin = await serve(suite, async (_request, response) => {
      while (!response.destroyed) {
        response.write(' ')
        await sleep(20)
      }
    })
    assert.deepEqual(await renew(origin, hasty(gate, 200)), unavailable('timeout', true))
  })

  it('may be lost when the answer is larger than 64 kB, unpacked too', async () => {
    const big = `{"access_token":"a","x":"${'x'.repeat(10_000_000)}"}`
    for (const packed of [false, true]) {
      const origin = await serve(suite, (_request, response) => {
        if (packed) response.setHeader('content-encoding', 'gzip')
        response.end(packed ? gzipSync(big) : big)
      })
      assert.deepEqual(await renew(origin), unavailable('bad_answer', true))
    }
  })

  it('reads a packed answer', async () => {
    const origin = await serve(suite, (_request, response) => {
      response.setHeader('content-encoding', 'gzip').end(gzipSync('{"access_token":"at-1"}'))
    })
    assert.equal((await renew(origin)).kind, 'tokens')
  })

  it('may be lost when the caller lets go', async () => {
    const origin = await serve(suite, () => {})
    const result = await renew(origin, gate, AbortSignal.timeout(100))
    assert.deepEqual(result, unavailable('timeout', true))
  })
})

function unavailable(reason: string, replyMayBeLost: boolean): object {
  return { kind: 'unavailable', reason, replyMayBeLost }
}

async function unavailableOf(asked: Promise<TokenResult>): Promise<Unavailable> {
  const result = await asked
  assert.ok(result.kind === 'unavailable')
  return result
}

async function renew(
  origin: string,
  through = gate,
  signal?: AbortSignal,
  tenant?: Tenant,
): Promise<TokenResult> {
  const client = { clientId: 'c', clientSecret: 'a-client-secret', endpoints: ANY_ENDPOINT }
  const refresh = {
    type: oauthType(origin),
    client,
    refreshToken: 'rt-1',
    values: {},
    signal,
    tenant,
  }
  return await refreshTokens({ gate: through, now: Date.now }, refresh)
}

/** The same gate with less patience. */
function hasty(patient: Gate, timeoutMs: number): Gate {
  return {
    request: (request, policy) => patient.request(request, { ...policy, timeoutMs }),
    stream: (request, policy) => patient.stream(request, policy),
    circuits: () => patient.circuits(),
    close: () => patient.close(),
  }
}
