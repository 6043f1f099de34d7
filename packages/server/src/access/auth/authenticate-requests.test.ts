import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fastify from 'fastify'
import { NO_RATES } from '../../platform/config/rates.ts'
import { ApiError } from '../../platform/errors.ts'
import { getLogFields } from '../../platform/http/log.ts'
import type { RecentToken } from './authenticate.ts'
import { authenticateRequests } from './authenticate-requests.ts'
import type { Caller } from './caller.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { createAdmission, RequestQueue } from './request-queue.ts'
import { createRequestRates } from './request-rates.ts'

describe('authenticateRequests', () => {
  it('lets a token that was valid recently wait in the queue before it is verified, and verifies it each time', async (t) => {
    const steps: string[] = []
    class RecordedQueue extends RequestQueue {
      override acquire(tenant: string) {
        steps.push(`queue ${tenant}`)
        return super.acquire(tenant)
      }
    }
    const queue = new RecordedQueue({
      now: () => performance.now(),
      busyMs: () => 0,
      defer: setImmediate,
      delay: setTimeout,
    })
    let isRevoked = false
    const recentTokens = new Map<string, RecentToken>()
    const authenticate = async (authorization: string | undefined): Promise<Caller> => {
      steps.push(`verify ${authorization}`)
      if (isRevoked || authorization === undefined)
        throw new ApiError('token_invalid', 'This access token is invalid.')
      const userId = `user of ${authorization}`
      const access = { userId, boundWorkspaceId: null }
      recentTokens.set(authorization, { access } as RecentToken)
      return {
        userId,
        boundWorkspaceId: null,
        scopes: new Set(),
        requestId: '',
      } as unknown as Caller
    }
    const app = fastify()
    t.after(() => app.close())
    const findRecent = (authorization = '') => recentTokens.get(authorization)
    const rates = createRequestRates(createRateLimiter(Date.now), NO_RATES)
    const findable = Object.assign(authenticate, { findRecent })
    authenticateRequests(app, findable, createAdmission(queue), rates)
    app.get('/', async () => 'answer')
    const send = async (authorization?: string) => {
      steps.length = 0
      const headers = authorization === undefined ? {} : { authorization }
      const { statusCode } = await app.inject({ url: '/', headers })
      return [statusCode === 200, ...steps]
    }
    assert.deepEqual(await send('a'), [true, 'verify a', 'queue user of a'])
    assert.deepEqual(await send('a'), [true, 'queue user of a', 'verify a'])
    assert.deepEqual(await send('b'), [true, 'verify b', 'queue user of b'])
    assert.deepEqual(await send(), [false, 'verify undefined'])
    assert.deepEqual(await send(), [false, 'verify undefined'])
    isRevoked = true
    assert.deepEqual(await send('a'), [false, 'queue user of a', 'verify a'])
    assert.deepEqual(await send('c'), [false, 'verify c'])
  })

  it('names the token and the workspace in the log line of a request that the queue rejects', async (t) => {
    class FullQueue extends RequestQueue {
      override acquire(): never {
        throw new ApiError('overloaded', 'Too many requests of this workspace are waiting.')
      }
    }
    const clock = { now: () => 0, busyMs: () => 0, defer: setImmediate, delay: setTimeout }
    const token = { token_id: 'tok_1' }
    const access = { userId: 'usr_1', boundWorkspaceId: 'wsp_1' }
    const findRecent = () => ({ token, access }) as RecentToken
    const verify = (): Caller => assert.fail('It must not be verified')
    const app = fastify()
    t.after(() => app.close())
    const rates = createRequestRates(createRateLimiter(Date.now), NO_RATES)
    const admission = createAdmission(new FullQueue(clock))
    authenticateRequests(app, Object.assign(verify, { findRecent }), admission, rates)
    app.get('/', async () => 'answer')
    let fields: object = {}
    app.addHook('onResponse', async (request) => {
      fields = getLogFields(request)
    })
    const { statusCode } = await app.inject('/')
    assert.equal(statusCode, 503)
    assert.deepEqual(fields, { tokenId: 'tok_1', workspaceId: 'wsp_1' })
  })
})
