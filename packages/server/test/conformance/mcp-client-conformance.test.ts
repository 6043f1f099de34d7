import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connectMcpAccount, type Serve } from '../../src/accounts/mcp-client/test/mcp-account.ts'
import { newBrowser } from '../../src/connect/oauth-flow/test/browser.ts'
import { createMcpBundle } from '../../src/connect/oauth-flow/test/mcp-servers.ts'
import { readRequestText, serve, suiteCleanup } from '../../src/integrations/oauth/test/servers.ts'
import type { AnyBody } from '../any-body.ts'
import { expectOk, type TestContext, testContext } from '../test-context.ts'

/** What 2026-07-28 requires of clients, and the checks of it that do not pass. */
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  tools_call: [],
  'request-metadata': [],
  'auth/metadata-default': [],
  'auth/metadata-var1': [],
  'auth/metadata-var2': [],
  'auth/metadata-var3': [],
  'auth/basic-cimd': [],
  'auth/scope-from-www-authenticate': [],
  'auth/scope-from-scopes-supported': [],
  'auth/scope-omitted-when-undefined': [],
  // Which scopes may be requested is for the product to say, in a new sign-in, and the challenge of a server is not enough.
  'auth/scope-step-up': ['scope-step-up-escalation', 'sep-2350-scope-union-on-reauth'],
  'auth/scope-retry-limit': [],
  'auth/token-endpoint-auth-basic': [],
  'auth/token-endpoint-auth-post': [],
  'auth/token-endpoint-auth-none': [],
  'auth/pre-registration': [],
  'auth/resource-mismatch': [],
  'auth/offline-access-scope': [],
  'auth/offline-access-not-supported': [],
  'auth/authorization-server-migration': [],
  'auth/iss-supported': [],
  'auth/iss-not-advertised': [],
  'auth/iss-supported-missing': [],
  'auth/iss-wrong-issuer': [],
  'auth/iss-unexpected': [],
  'auth/iss-normalized': [],
  'auth/metadata-issuer-mismatch': [],
  // Its tools ask for input of a person, too, which Linchpin never gives.
  'sep-2322-client-request-state': [
    'sep-2322-client-request-state-echoed',
    'sep-2322-client-jsonrpc-id-different',
    'sep-2322-client-no-state-omitted',
  ],
  'http-standard-headers': [],
  'http-custom-headers': [],
  'http-invalid-tool-headers': [],
  'json-schema-ref-no-deref': [],
}

/** What the suite says of one requirement. */
interface Check {
  readonly id: string
  readonly name: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'SKIPPED' | 'INFO' | 'WARNING'
  readonly errorMessage?: string
  readonly details?: unknown
}

const CLI = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))
const DRIVER = fileURLToPath(new URL('drive-client.mjs', import.meta.url))

describe('The conformance suite of the Model Context Protocol, for clients', () => {
  const cleanup = suiteCleanup()
  let t: TestContext
  let controlUrl = ''
  let log: string[] = []
  before(async () => {
    t = await testContext({
      clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    })
    controlUrl = await serve(cleanup, async (incoming, response) => {
      const subject = JSON.parse(await readRequestText(incoming))
      await drive(subject).catch((error) => log.push(String(error)))
      response.end()
    })
  })
  after(() => t.close())

  interface Subject {
    readonly serverUrl: string
    readonly scenario: string
    readonly context: AnyBody
  }

  /** Does what the scenario expects of a client, through the API. */
  const drive = async ({ serverUrl, scenario, context }: Subject) => {
    const isSignIn = scenario.startsWith('auth/')
    const id = isSignIn ? await connect(serverUrl, context) : await forwardTo(serverUrl)
    const path = `/v1/integration_account/${id}/tool`
    /** Has the account connected again if it must be. */
    const send = async (method: string, url: string, body?: object) => {
      const response = await t.call(method, url, { body })
      log.push(`${url}: ${response.text.slice(0, 300)}`)
      if (response.body.error !== 'needs_reauth') return response
      await signIn({ integrationAccountId: id })
      return t.call(method, url, { body })
    }
    const listed = await send('GET', path)
    const calls = context.toolCalls ?? listed.body.map(({ name }: AnyBody) => ({ name }))
    for (const { name, arguments: args = { a: 2, b: 3 } } of calls) {
      await send('POST', `${path}/${encodeURIComponent(name)}/call`, { arguments: args })
    }
  }

  /** An account at a server that has the requests with its token answered by the one of the suite, which takes no tokens. */
  const forwardTo = async (serverUrl: string) => {
    const account = await connectMcpAccount(t, cleanup)
    account.server.serve = forward(serverUrl)
    return account.accountId
  }

  const connect = async (serverUrl: string, context: AnyBody) => {
    // Not every server of the suite answers the check with 200.
    const code = createMcpBundle(serverUrl).replace('response.ok', 'response.status !== 401')
    const { integrationDefinitionId } = await t.createDefinition({ code })
    if (context.client_id !== undefined) {
      const { client_id: clientId, client_secret: clientSecret, issuer } = context
      const body = { integrationDefinitionId, clientId, clientSecret, issuer }
      const app = await t.call('POST', '/v1/integration_oauth', { body })
      log.push(app.text)
    }
    await signIn({ integrationDefinitionId, integrationAccountName: 'a' })
    const accounts = await t.call(
      'GET',
      `/v1/integration_account?integrationDefinitionId=${integrationDefinitionId}`,
    )
    return expectOk(accounts)[0]?.integrationAccountId ?? assert.fail('no account')
  }

  const signIn = async (start: object) => {
    const browser = newBrowser(t.app)
    const started = await t.call('POST', '/v1/oauth', { body: { ...start, confirm: false } })
    log.push(started.text)
    const { location } = await browser.get(await browser.begin(expectOk(started).redirectURL))
    const page = await browser.get(location ?? assert.fail('no redirect'))
    log.push(`${page.status} ${page.text.slice(0, 200)}`)
  }

  for (const [scenario, exceptions] of Object.entries(SCENARIOS))
    it(`passes ${scenario}`, async () => {
      log = []
      const options = ['--scenario', scenario, '--spec-version', '2026-07-28', '--verbose']
      const command = `${process.execPath} ${DRIVER} ${controlUrl}`
      const args = [CLI, 'client', '--command', command, ...options]
      const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error)
      const checks: Check[] = JSON.parse(/^\[\n.*?^\]$/ms.exec(stdout)?.[0] ?? '[]')
      assert.ok(checks.length > 0, stdout)
      const failed = checks.filter(({ status }) => status === 'FAILURE')
      assert.deepEqual(
        failed.map(({ id }) => id),
        exceptions,
        `${JSON.stringify(failed, undefined, 1)}\n${log.join('\n')}`,
      )
    })
})

/** Sends requests on to another server, without their token. */
function forward(url: string): Serve {
  return (incoming, response) => {
    const { method, headers } = incoming
    const { host: _host, authorization: _token, ...rest } = headers
    const outgoing = request(url, { method, headers: rest })
    outgoing.on('response', (received) => {
      response.writeHead(received.statusCode ?? 0, received.rawHeaders)
      received.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  }
}
