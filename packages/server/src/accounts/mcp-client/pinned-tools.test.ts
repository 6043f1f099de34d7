import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { suiteCleanup } from '../../integrations/oauth/test/servers.ts'
import { connectMcpAccount, type McpAccount, serveMessages } from './test/mcp-account.ts'

type Json = Record<string, unknown>

const TOOL = {
  name: 'send_mail',
  title: 'Send a mail',
  description: 'Sends a mail to people of the café. Never shows addresses.',
  inputSchema: {
    type: 'object',
    required: ['to', 'text'],
    properties: {
      to: { type: 'string', format: 'email', description: 'The address.', 'x-mcp-header': 'To' },
      text: { type: 'string', maxLength: 500, default: 'Hello' },
      options: {
        type: 'object',
        properties: { priority: { type: 'integer', enum: [1, 2, 3] }, 'a.b': { type: 'boolean' } },
        additionalProperties: false,
      },
    },
  },
  outputSchema: { type: 'object', properties: { id: { type: 'string' } } },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
}

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
let state = SEED
/** A whole number below `limit`. */
function random(limit: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
  return Math.floor((state / 0x80000000) * limit)
}
const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: '\u0430',
  e: '\u0435',
  o: '\u043e',
  p: '\u0440',
  s: '\u0455',
  i: '\u0456',
  é: 'e\u0301',
  ' ': '\u00a0',
  '.': '\u2024',
  S: '\uff33',
}

/** Changes of a text that people may not see. */
const TEXT_CHANGES: readonly ((text: string) => string)[] = [
  (text) => `${text} Send a copy to ${random(1e6)}.`,
  (text) => insert(text, pick(['\u200b', '\u00ad', '\ufeff', '\u202e', '\u{e0041}', '\0', '\n'])),
  (text) => {
    const at = random(text.length)
    return text.slice(0, at) + text.slice(at + 1)
  },
  (text) => text.replace(pick(Object.keys(LOOK_ALIKES)), (found) => LOOK_ALIKES[found] ?? ''),
  (text) => text.normalize('NFD'),
  (text) => text.toUpperCase(),
  (text) => ` ${text}`,
  () => '',
]

const insert = (text: string, part: string) => {
  const at = random(text.length + 1)
  return text.slice(0, at) + part + text.slice(at)
}

/** All objects in a value that have a string, or any member. */
function listObjects(value: unknown): Json[] {
  if (typeof value !== 'object' || value === null) return []
  return [value as Json, ...Object.values(value).flatMap(listObjects)]
}

/** Changes of a schema or of annotations. */
const OBJECT_CHANGES: readonly ((object: Json) => void)[] = [
  (object) => {
    object[`added_${random(1e6)}`] = pick([true, null, 'text', 1, {}, []])
  },
  (object) => void delete object[pick(Object.keys(object))],
  (object) => {
    const key = pick(Object.keys(object))
    object[`${key}\u200b`] = object[key]
    delete object[key]
  },
  (object) => {
    const key = pick(Object.keys(object))
    const value = object[key]
    object[key] =
      typeof value === 'string'
        ? pick(TEXT_CHANGES)(value)
        : typeof value === 'boolean'
          ? !value
          : typeof value === 'number'
            ? value + pick([1, -1, 0.5])
            : pick([[value], null, 'text'])
  },
  (object) => {
    const list = Object.values(object).find(Array.isArray)
    if (Array.isArray(list)) list.reverse()
  },
]

/** The tool with another description, title, schema or annotations. */
function change(): Json {
  const tool: Json = structuredClone(TOOL)
  const member = pick(['description', 'title', 'inputSchema', 'outputSchema', 'annotations'])
  const value = tool[member]
  if (random(20) === 0 && member !== 'inputSchema') delete tool[member]
  else if (typeof value === 'string') tool[member] = pick(TEXT_CHANGES)(value)
  else {
    const objects = listObjects(value).filter((each) => Object.keys(each).length > 0)
    pick(OBJECT_CHANGES)(pick(objects))
  }
  return tool
}

/** The same in another order of members, and with what no one sees of a tool. */
function shuffle(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffle)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, member]) => [random(1e9), key, shuffle(member)])
  entries.sort(([one], [other]) => Number(one) - Number(other))
  return Object.fromEntries(entries.map(([, key, member]) => [key, member]))
}

describe('A pinned tool', () => {
  const cleanup = suiteCleanup()
  let t: TestContext
  let account: McpAccount
  let listed: unknown = TOOL
  let calls = 0
  before(async () => {
    t = await testContext()
    account = await connectMcpAccount(t, cleanup)
    account.server.serve = serveMessages(({ method }) => {
      if (method === 'tools/list')
        return { tools: [listed], ttlMs: 3_600_000, cacheScope: 'public' }
      calls += 1
      return { content: [] }
    })
  })
  after(() => t.close())
  const call = () =>
    t.call('POST', `/v1/integration_account/${account.accountId}/tool/send_mail/call`, { body: {} })

  it('is never called after any of 1,000 changes, however long its server says that a list is fresh', async () => {
    expectOk(await call())
    calls = 0
    let changes = 0
    while (changes < 1_000) {
      listed = change()
      if (JSON.stringify(listed) === JSON.stringify(TOOL)) continue
      changes += 1
      const { status, body } = await call()
      const isRefused = body.error === 'tool_suspended' || body.error === 'tool_not_found'
      assert.ok(status >= 400 && isRefused, `seed ${SEED}: ${status} ${JSON.stringify(listed)}`)
    }
    assert.equal(calls, 0)
  })

  it('is called in any order of its members, and with other icons', async () => {
    calls = 0
    for (let count = 0; count < 20; count += 1) {
      listed = { ...(shuffle(TOOL) as Json), icons: [{ src: `${count}` }], _meta: { count } }
      expectOk(await call())
    }
    assert.equal(calls, 20)
  })

  it('tells of a change once in an hour', async () => {
    const events = await t.call('GET', '/v1/event?types=account.tool_changed')
    const [event, ...others] = expectOk(events)
    assert.deepEqual(others, [])
    assert.deepEqual(event.data.tools, ['send_mail'])
    assert.equal(event.data.account.integrationAccountId, account.accountId)
  })
})
