import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AuthHeaders } from '../accounts/token-refresh/grant.ts'
import { readAgentResponse } from './agent-response.ts'
import { createEcho } from './test/echoes.ts'

/** How many responses a provider sends: 10,000 in the proof. */
const ECHOES = Number(process.env.LINCHPIN_TEST_ECHOES ?? 400)
const MAX_BYTES = 65_536

const JWT = [
  '{"alg":"RS256","kid":"2026-11"}',
  `{"sub":"1815","scope":"${'crm.read '.repeat(40)}"}`,
  's'.repeat(256),
]
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.')

/** The kinds of credentials that accounts have. */
const SECRETS = [
  `pk_live_${'0aB9'.repeat(10)}`,
  JWT,
  '1//0gT4-refresh_Zk3~w.9Q/x+=7b8vNq2LrYp5sUe1Wd6',
  'GOCSPX-client"secret\\with&special<characters>%/é1234567890',
]

/** An account that was signed in with OAuth, in a form that the search is given for each response. */
const [apiKey, access_token, refresh_token, clientSecret] = SECRETS
const AUTH = {
  row: { authType: 'OAuth2' },
  grant: {
    config: { api_key: apiKey, access_token, refresh_token, region: 'eu', portal_id: '4217' },
    spec: {
      auth_specification: {
        OAuth2: {
          input_specification: {
            type: 'object',
            properties: { region: { type: 'string', 'x-secret': false } },
          },
        },
      },
    },
    client: { clientId: 'client-1815', clientSecret },
  },
  headers: { authorization: `Bearer ${access_token}`, 'x-api-key': apiKey },
} as unknown as AuthHeaders

async function* toStream(bytes: Uint8Array) {
  yield bytes
}

/** Whether a text has so much of a credential, as it was written, that no chance explains it. */
function hasPart(text: string, written: string): boolean {
  const middle = written.slice(written.length >> 2, -(written.length >> 2))
  const size = Math.min(16, written.length >> 2)
  for (let at = 0; at + size <= middle.length; at += 1)
    if (text.includes(middle.slice(at, at + size))) return true
  return false
}

describe('A provider that echoes credentials', () => {
  it(`shows an agent none, in any place and encoding, in ${ECHOES} responses of 64 kB`, async (t) => {
    let cpuMicros = 0
    let longest = 0
    let unsearched = 0
    let omitted = 0
    for (let index = 0; index < ECHOES; index += 1) {
      const { name, written, rawHeaders, body, shown } = createEcho(index, SECRETS, MAX_BYTES)
      if (hasPart(shown, written)) unsearched += 1
      const response = {
        status: 200,
        rawHeaders,
        body: Object.assign(toStream(body), { destroy() {} }),
      }
      const before = process.cpuUsage()
      const seen = await readAgentResponse(response as never, [AUTH, AUTH], MAX_BYTES)
      const { user, system } = process.cpuUsage(before)
      cpuMicros += user + system
      longest = Math.max(longest, user + system)
      const text = Buffer.from(seen.body).toString()
      assert.ok(!hasPart(text, written), name)
      assert.ok(!hasPart(seen.rawHeaders.join('\n'), written), `${name}: headers`)
      if (text.startsWith('{"omitted":"secrets"')) omitted += 1
    }
    // Without the search, an agent would have seen every one of them.
    assert.equal(unsearched, ECHOES)
    const ms = (micros: number) => (micros / 1_000).toFixed(1)
    t.diagnostic(
      `0 of ${ECHOES} credentials seen (${unsearched} without the search, ${omitted} bodies not shown); ${ms(cpuMicros / ECHOES)} ms of CPU time each, ${ms(longest)} ms at most`,
    )
  })
})
