import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runCli } from './cli-test-context.ts'

const env = { LINCHPIN_URL: 'https://connect.example.com', LINCHPIN_TOKEN: 'lp_planted' }

describe('linchpin accounts fetch', () => {
  it('sends a request through the proxy, prints the response, and exits with 1 for a status of 400 or higher', async () => {
    const sent: Request[] = []
    const fetch = async (input: string | URL | Request) => {
      sent.push(input instanceof Request ? input : new Request(input))
      const headers = { 'linchpin-proxy': 'provider', 'x-a': 'b' }
      return new Response('pong', { status: sent.length === 1 ? 201 : 404, headers })
    }
    const args = ['accounts', 'fetch', 'acc_1', '/tickets?a=1', '-i', '-H', 'x-b: c', '-d', '-']
    const result = await runCli(args, { env, fetch, stdin: '{"a":1}' })
    assert.equal(result.exitCode, 0, result.stderr)
    assert.match(result.stdout, /^HTTP 201\n(?:.+\n)*x-a: b\n(?:.+\n)*\npong$/)
    const [request] = sent
    assert.ok(request)
    assert.match(request.url, /\/api\/v1\/integration_account\/acc_1\/proxy\/tickets\?a=1$/)
    assert.deepEqual(
      [request.method, request.headers.get('x-b'), await request.text()],
      ['POST', 'c', '{"a":1}'],
    )
    const missing = await runCli(['accounts', 'fetch', 'acc_1', '/none'], { env, fetch })
    assert.deepEqual([missing.exitCode, missing.stdout], [1, 'pong'])
    assert.ok(!JSON.stringify([result, missing]).includes('planted'))
  })

  it('refuses bodies and credentials as arguments, without repeating them', async () => {
    for (const option of ['--body={"k":"planted"}', '--header=Authorization: planted']) {
      const refused = await runCli(['accounts', 'fetch', 'acc_1', '/x', option], { env })
      assert.deepEqual([refused.exitCode, /planted/.test(refused.stderr)], [2, false])
    }
  })
})
