import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { after, before, describe, it } from 'node:test'
import * as notion from '@notionhq/client'
import * as octokit from '@octokit/rest'
import * as slack from '@slack/web-api'
import * as google from 'google-auth-library'
import * as stripe from 'stripe'
import {
  type OAuthProxyTestContext,
  startOAuthProxyTestContext,
} from '../../server/src/accounts/proxy/test/oauth-proxy-test-context.ts'
import {
  generateSigningSecret,
  parseSigningSecret,
  signDelivery,
} from '../../server/src/activity/webhooks/endpoint-secrets.ts'
import * as sdk from '../src/index.ts'
import * as webhooks from '../src/webhooks.ts'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const BLOCKS = [...README.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
const MODULES = {
  '@linchpin/sdk': sdk,
  '@linchpin/sdk/webhooks': webhooks,
  '@notionhq/client': notion,
  '@octokit/rest': octokit,
  '@slack/web-api': slack,
  'google-auth-library': google,
  stripe,
}
const AsyncFunction = (async () => {}).constructor as new (
  ...args: string[]
) => (...args: unknown[]) => Promise<unknown>

describe('packages/sdk/README.md', () => {
  let context: OAuthProxyTestContext
  let surroundings: Record<string, unknown>
  let brokenAccountId: string
  before(async () => {
    context = await startOAuthProxyTestContext()
    const { t } = context
    t.stubServer.serve('/api/tickets', (_request, response) => response.end('[]'))
    const { integrationDefinitionId } = await t.createDefinition()
    await t.createAccount(integrationDefinitionId, { accountIdentifier: 'customer-41' })
    const { id } = await context.connectAccount()
    brokenAccountId = (await context.connectAccount({ status: 'needs_reauth' })).id
    const { port } = t.app.server.address() as { port: number }
    const secret = generateSigningSecret('v1')
    const body = '{"id":"evt_1","type":"account.needs_reauth"}'
    const message = { messageId: 'evt_1', timestamp: Math.floor(Date.now() / 1_000), body }
    const baseUrl = `http://127.0.0.1:${port}`
    surroundings = {
      LINCHPIN_URL: baseUrl,
      LINCHPIN_TOKEN: t.token,
      WEBHOOK_SECRET: secret,
      accountId: id,
      body,
      headers: signDelivery({ ...message, keys: [parseSigningSecret(secret)] }),
      isLast: () => true,
      Linchpin: sdk.Linchpin,
      linchpin: new sdk.Linchpin({ baseUrl, token: t.token }),
      console: { log: (...values: unknown[]) => printed.push(values.join(' ')) },
    }
  })
  after(() => context.close())

  const printed: string[] = []

  for (const [index, code] of BLOCKS.entries())
    it(`has an example ${index + 1} that runs against a real server`, async () => {
      printed.length = 0
      const isCaught = code.includes('findLinchpinError')
      await run(code, isCaught ? { accountId: brokenAccountId } : {})
      if (isCaught) assert.deepEqual(printed, ['Ask the customer to reconnect.'])
      if (index === 0) assert.deepEqual(printed, ['An account active'])
      if (code.includes('switch')) assert.deepEqual(printed, ['Connected: An account'])
      if (code.includes("'wrong'")) assert.match(printed.join(), /^unknown_reference 400 /)
    })

  it('has no code that is not run', () => {
    assert.equal(BLOCKS.length, README.match(/^```\w+$/gm)?.length)
  })

  it('reaches the data of a connected customer in ten lines', () => {
    const [setup = '', request = ''] = BLOCKS
    const lines = `${setup}${request}`.split('\n').filter((line) => line.trim() !== '')
    assert.ok(lines.length <= 10, `${lines.length} lines`)
    assert.match(request, /\.fetch\(/)
  })

  /** Runs a block. Octokit sends to the stub server instead of api.github.com. */
  async function run(code: string, overrides: Record<string, unknown>): Promise<void> {
    const baseUrl = `${context.t.stubServer.url}/api`
    const Octokit = octokit.Octokit.defaults({ baseUrl })
    const modules = { ...MODULES, '@octokit/rest': { Octokit } }
    const variables: Record<string, unknown> = { ...surroundings, ...overrides }
    const body = stripTypeScriptTypes(code)
      .replace(/^import (\{.*\}) from '(.*)'$/gm, "const $1 = modules['$2']")
      .replace(/^import (\w+) from '(.*)'$/gm, "const $1 = modules['$2'].default")
      .replace(/^export /gm, '')
    const declared = Object.keys(variables).filter(
      (name) => !new RegExp(`const (?:\\{ )?${name}\\b`).test(body),
    )
    const values = declared.map((name) => variables[name])
    await new AsyncFunction('modules', ...declared, body)(modules, ...values)
  }
})
