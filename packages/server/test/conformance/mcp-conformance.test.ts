import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  type ProxyTestContext,
  startProxyTestContext,
} from '../../src/accounts/proxy/test/proxy-test-context.ts'
import { consent } from '../../src/connect/agent-page/test/sign-in-client.ts'
import { startSignInContext } from '../../src/connect/agent-page/test/sign-in-context.ts'
import { expectCreated } from '../expect-response.ts'
import { findFreePort } from '../free-port.ts'

/** What passes, and the checks of it that cannot, as they need tools, prompts or resources that are made for the suite. */
const SCENARIOS: readonly (readonly [scenario: string, revision: string, exceptions: string[]])[] =
  [
    [
      'server-stateless',
      '2026-07-28',
      [
        // Tools of the suite.
        'sep-2575-server-rejects-undeclared-capability',
        'sep-2575-missing-capability-http-400',
        'sep-2575-http-server-no-independent-requests-on-stream',
        'sep-2575-server-no-log-without-loglevel',
      ],
    ],
    ['tools-list', '2026-07-28', []],
    [
      'caching',
      '2026-07-28',
      [
        // There are neither prompts nor resources.
        'sep-2549-prompts-list-caching-hints',
        'sep-2549-resources-list-caching-hints',
        'sep-2549-resources-templates-list-caching-hints',
      ],
    ],
    ['http-header-validation', '2026-07-28', []],
    ['dns-rebinding-protection', '2026-07-28', []],
    ['server-initialize', '2025-11-25', []],
    ['ping', '2025-11-25', []],
    ['tools-list', '2025-11-25', []],
    ['dns-rebinding-protection', '2025-11-25', []],
  ]

/** What the suite says of one requirement. */
interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'SKIPPED' | 'INFO'
}

const CLI = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

describe('The conformance suite of the Model Context Protocol', () => {
  let t: ProxyTestContext
  let gateway: Server
  let url = 'http://localhost:3000'
  before(async () => {
    t = await startProxyTestContext({ baseUrl: () => url })
    const { token } = expectCreated(
      await t.call('POST', '/v1/agent_session', { body: { integrationAccountIds: [t.accountId] } }),
    )
    gateway = createGateway(new URL(t.baseUrl), token).listen(0, '127.0.0.1')
    await once(gateway, 'listening')
    url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  })
  after(async () => {
    gateway.closeAllConnections()
    gateway.close()
    await t.close()
  })

  for (const [scenario, revision, exceptions] of SCENARIOS)
    it(`passes ${scenario} of ${revision}`, async () => {
      const options = [
        '--url',
        `${url}/mcp/${t.workspaceId}`,
        '--scenario',
        scenario,
        '--spec-version',
        revision,
      ]
      const args = [CLI, 'server', ...options, '--verbose']
      const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error)
      const checks: Check[] = JSON.parse(/^\[\n.*?^\]$/ms.exec(stdout)?.[0] ?? '[]')
      assert.ok(checks.length > 0, stdout)
      const failed = checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id)
      assert.deepEqual(failed, exceptions, stdout)
    })
})

describe('The conformance suite for authorization servers', () => {
  it('passes whole, with a person who consents', async () => {
    const t = await startSignInContext()
    const port = String(await findFreePort())
    const clientId = await t.register({ redirect_uris: [`http://127.0.0.1:${port}/callback`] })
    const args = ['--url', t.publicUrl, '--client-id', clientId, '--resource', t.mcpUrl]
    const child = spawn(
      process.execPath,
      [CLI, 'authorization', ...args, '--port', port, '--spec-version', '2026-07-28'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let output = ''
    let visit: Promise<unknown> | undefined
    child.stdout.on('data', (chunk) => {
      output += chunk
      const [url] = /^http:\S+\/mcp-auth\/authorize\?\S+$/m.exec(output) ?? []
      if (url !== undefined) visit ??= consent(t.product, url).then((target) => fetch(target))
    })
    await once(child, 'close')
    await visit
    await t.close()
    const summary = [...output.matchAll(/^✓ (.*)$/gm)].map(([, line]) => line)
    assert.deepEqual(
      summary,
      [
        'authorization-server-metadata-endpoint: 2 passed, 0 failed',
        'authorization-code-grant: 1 passed, 0 failed',
      ],
      output,
    )
  })
})

/** Adds the token, which the suite cannot send. */
function createGateway({ hostname, port }: URL, token: string): Server {
  return createServer((incoming, response) => {
    const { method, url: path } = incoming
    const headers = { authorization: `Bearer ${token}`, ...incoming.headers }
    const outgoing = request({ hostname, port, method, path, headers })
    outgoing.on('response', (received) => {
      response.writeHead(received.statusCode ?? 0, received.rawHeaders)
      received.pipe(response)
    })
    incoming.pipe(outgoing)
  })
}
