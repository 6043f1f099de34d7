import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { Client, isNotionClientError } from '@notionhq/client'
import { Octokit } from '@octokit/rest'
import { WebClient } from '@slack/web-api'
import Stripe from 'stripe'
import { loadProviders, type RunningEmulator, startEmulator } from '../src/index.ts'

/** Starts an emulator of some integrations. */
async function start(...keys: string[]): Promise<RunningEmulator> {
  const all = await loadProviders()
  const providers = all.filter(({ key }) => keys.includes(key))
  return startEmulator({ providers, now: Date.now, port: 0 })
}

describe("A provider's own SDK against the emulator", () => {
  let emulator: RunningEmulator
  before(async () => {
    emulator = await start('github', 'notion', 'slack', 'stripe')
  })
  beforeEach(() => emulator.control.reset())
  after(() => emulator.close())

  it('@octokit/rest reads the user, and reports a key that is wrong', async () => {
    const connect = (token: string) => {
      const octokit = new Octokit({ baseUrl: `${emulator.origin}/github`, log: SILENT })
      octokit.hook.before('request', (options) => {
        options.headers.authorization = `Bearer ${token}`
      })
      return octokit
    }
    const { data } = await connect('ghp_1').users.getAuthenticated()
    assert.equal(data.login, 'octocat')
    await assert.rejects(connect('ghp_wrong').users.getAuthenticated(), { status: 401 })
  })

  it('@notionhq/client reads the bot, with its version, and understands the errors', async () => {
    const connect = (auth: string) =>
      new Client({ auth, baseUrl: `${emulator.origin}/notion`, logger: () => {}, retry: false })
    assert.equal((await connect('secret_1').users.me({})).object, 'user')
    const error = await connect('secret_wrong')
      .users.me({})
      .catch((cause: unknown) => cause)
    assert.ok(isNotionClientError(error))
    assert.equal(error.code, 'unauthorized')
  })

  it('@slack/web-api tests a token, and understands the error of one that was revoked', async () => {
    const connect = (token: string) =>
      new WebClient(token, {
        slackApiUrl: `${emulator.origin}/slack/api/`,
        retryConfig: { retries: 0 },
      })
    assert.equal((await connect('xoxb-1').auth.test()).ok, true)
    emulator.control.revoke('xoxb-1')
    await assert.rejects(connect('xoxb-1').auth.test(), /invalid_auth/)
  })

  it('stripe, whose base URL has no path, reads the account where it is the only provider', async () => {
    const alone = await start('stripe')
    try {
      const { hostname: host, port } = new URL(alone.origin)
      const options = { host, port, protocol: 'http', telemetry: false } as const
      const connect = (key: string) => new Stripe(key, { ...options, maxNetworkRetries: 0 })
      assert.equal((await connect('sk_test_1').accounts.retrieveCurrent()).object, 'account')
      await assert.rejects(connect('sk_test_wrong').accounts.retrieveCurrent(), { statusCode: 401 })
      alone.control.next({ status: 503, times: 10 })
      await assert.rejects(connect('sk_test_1').accounts.retrieveCurrent(), {
        type: 'StripeAPIError',
      })
    } finally {
      await alone.close()
    }
  })
})

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
