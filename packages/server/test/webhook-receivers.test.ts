import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  generateSigningSecret,
  parseSigningSecret,
  signDelivery,
} from '../src/activity/webhooks/endpoint-secrets.ts'
import { findFreePort } from './free-port.ts'
import { expectCreated, expectOk, type TestContext, testContext } from './test-context.ts'

const DOCUMENT = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8')
const RECEIVERS = [
  ['js', process.execPath, ['--input-type=module', '--eval']],
  ['python', 'python3', ['-c']],
] as const

describe('The receivers of docs/webhooks.md', () => {
  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  for (const [language, program, args] of RECEIVERS)
    it(`${language}: accepts a delivery, and nothing that was changed`, async (test) => {
      if (spawnSync(program, ['--version']).error !== undefined)
        return test.skip(`${program} is not installed`)
      const [, code = ''] =
        new RegExp(`\`\`\`${language}\n([^\`]+(?:\`[^\`]+)*?)\`\`\`\n`).exec(DOCUMENT) ?? []
      assert.ok(code.split('\n').length <= 30)
      const port = await findFreePort()
      const url = `http://127.0.0.1:${port}/hooks`
      const body = { url, types: ['link.created'] }
      const endpoint = expectCreated(await t.call('POST', '/v1/webhook_endpoint', { body }))
      const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: endpoint.secret }
      const child = spawn(program, [...args, code], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      test.after(() => child.kill())
      const output = collectOutput(child)
      await waitForServer(url, output)
      const link = expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' } }))
      const expected = `link.created ${link.linkId}`
      for (let wait = 0; !output.text.includes(expected); wait += 1) {
        assert.ok(wait < 400, output.text)
        await delay(50)
      }
      const path = `/v1/webhook_endpoint/${endpoint.webhookEndpointId}`
      expectOk(await t.call('POST', path, { body: { paused: true } }))
      await assertForgeriesFail(url, endpoint.secret)
      assert.equal(
        output.text
          .trim()
          .split('\n')
          .filter((line) => line.includes('evt_')).length,
        2,
      )
    })
})

/** One genuine request, which is accepted, and forged ones. */
async function assertForgeriesFail(url: string, secret: string): Promise<void> {
  const now = Math.floor(Date.now() / 1_000)
  const body = '{"id":"evt_x","type":"x","subject":"y"}'
  const send = async (timestamp: number, key: string, change: object = {}, sent = body) => {
    const keys = [parseSigningSecret(key)]
    const headers = signDelivery({ messageId: 'evt_x', timestamp, body, keys })
    const init = { method: 'POST', headers: { ...headers, ...change }, body: sent }
    return (await fetch(url, init)).status
  }
  assert.equal(await send(now, secret), 204)
  assert.equal(await send(now, secret, {}, body.replace('y', 'z')), 401)
  assert.equal(await send(now, secret, { 'webhook-id': 'evt_y' }), 401)
  assert.equal(await send(now, secret, { 'webhook-timestamp': String(now + 1) }), 401)
  assert.equal(await send(now - 600, secret), 401)
  assert.equal(await send(now, generateSigningSecret('v1')), 401)
  assert.equal(await send(now, secret, { 'webhook-signature': 'v1,' }), 401)
  assert.equal((await fetch(url, { method: 'POST', body })).status, 401)
}

function collectOutput(child: ChildProcess): { text: string } {
  const output = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output.text += chunk
    })
  return output
}

async function waitForServer(url: string, output: { text: string }): Promise<void> {
  for (let wait = 0; ; wait += 1) {
    const response = await fetch(url, { method: 'POST', body: '' }).catch(() => undefined)
    if (response !== undefined) return
    assert.ok(wait < 400, output.text)
    await delay(50)
  }
}
