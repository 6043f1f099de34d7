import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { createOutput } from '../../app/start/output.ts'

/** What would forge a log line, a label, a metric or terminal output where it is not escaped. */
const HOSTILE = 'x"} 1\n{"level":"error","msg":"forged"}\r\u001b[2J\u202e\\'
const PRINTABLE = HOSTILE.replaceAll(/\p{Cc}/gu, '')

describe('Attempts with hostile names', () => {
  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  it('forge no line of the log or of the metrics, whatever definition, customer, auth type or provider says', async (test) => {
    // Node's server would not send such a status.
    const provider = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => {
        const long = 'y'.repeat(10_000)
        socket.end(`HTTP/1.1 401 ${PRINTABLE}\u001b[2J${long}\r\nx-request-id: ${long}\r\n\r\n`)
      })
    }).listen(0, '127.0.0.1')
    test.after(() => provider.close())
    await once(provider, 'listening')
    const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
    const names = [PRINTABLE, `${PRINTABLE} `.repeat(5).slice(0, 99), 'linchpin_forged{x="1"} 1']
    for (const name of names) {
      const definition = await t.createDefinition({ name })
      const { integrationDefinitionId } = definition
      for (const accountIdentifier of [PRINTABLE, 'z'.repeat(255)])
        for (const authType of ['Api Key', PRINTABLE.slice(0, 90)]) {
          const config = { api_key: 'key-0123456789', base_url }
          const body = { integrationDefinitionId, authType, config, accountIdentifier }
          const named = { ...body, integrationAccountName: PRINTABLE }
          const created = await t.call('POST', '/v1/integration_account', { body: named })
          assert.ok(created.status >= 400 && created.status < 600, created.text)
          const start = { ...named, config: {}, confirm: false }
          assert.ok((await t.call('POST', '/v1/oauth', { body: start })).status >= 400)
        }
    }
    for (const name of [HOSTILE, 'n'.repeat(10_000)]) {
      const body = { name, integrationType: 'TICKETING', sourceUrl: `${base_url}/a.js` }
      assert.equal((await t.call('POST', '/v1/integration_definition', { body })).status, 400)
    }
    const listed = expectOk(await t.call('GET', '/v1/attempt?limit=1000'))
    assert.ok(listed.length >= 12, String(listed.length))
    assertLines(t.logs.join(''))
    const { text } = await t.call('GET', '!/metrics', { token: null })
    for (const line of text.split('\n').filter((each) => each.includes('linchpin_connect')))
      assert.match(
        line,
        /^(?:#|linchpin_connect_attempts_total\{[a-z]+="\w*"(?:,[a-z]+="\w*"){3}\} \d+$)/,
      )
    assert.doesNotMatch(text, /forged|yyyy|zzzz/)
  })

  it('forge no line of the text for a terminal', () => {
    let written = ''
    const stream = { isTTY: true, write: (text: string) => (written += text) }
    const { log } = createOutput({ logFormat: 'pretty', logLevel: 'info' }, stream)
    log.info({ tool: HOSTILE, error: HOSTILE, reqId: HOSTILE }, 'an outgoing request failed')
    assert.equal(written.split('\n').length, 2, written)
    assert.doesNotMatch(written.trimEnd(), /\p{C}/u)
  })
})

/** Each line is one JSON document without control characters, written by the service. */
function assertLines(text: string): void {
  for (const line of text.trimEnd().split('\n')) {
    assert.doesNotMatch(line, /\p{Cc}/u)
    const { level, msg } = JSON.parse(line)
    assert.equal(typeof level, 'string')
    assert.notEqual(msg, 'forged')
  }
}
