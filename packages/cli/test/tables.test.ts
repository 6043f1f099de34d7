import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { METHODS } from '../../sdk/test/methods.ts'
import { expectCreated } from '../../server/test/test-context.ts'
import { LIST_COLUMNS } from '../src/output/list-columns.ts'
import { formatRecord } from '../src/output/record.ts'
import { formatTable } from '../src/output/table.ts'
import { type CliTestContext, startCliTestContext } from './cli-test-context.ts'

interface Schema {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface DocumentedOperation {
  readonly operationId: string
  readonly responses: Readonly<
    Record<
      string,
      { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
    >
  >
}

describe('The tables of the command line', { timeout: 60_000 }, () => {
  let c: CliTestContext
  let accountId: string
  before(async () => {
    c = await startCliTestContext()
    const { integrationDefinitionId } = await c.t.createDefinition({ name: 'Desk' })
    const connect = (apiKey: string) =>
      c.t.call('POST', '/v1/integration_account', {
        body: {
          integrationDefinitionId,
          integrationAccountName: 'Support desk',
          accountIdentifier: 'customer-1',
          authType: 'Api Key',
          config: { api_key: apiKey, base_url: c.t.stubServer.url },
        },
      })
    accountId = expectCreated(await connect('key_that_works')).integrationAccountId
    assert.equal((await connect('wrong')).status, 400)
  })
  after(() => c.close())

  it('have columns that were chosen for each list of the API, and exist', () => {
    const { paths, components } = c.t.app.swagger() as unknown as Document
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
    const find = (schema: Schema | undefined, name: string): Schema | undefined => {
      const { $ref, anyOf, properties } = schema ?? {}
      const target =
        $ref === undefined ? undefined : components.schemas[$ref.split('/').at(-1) ?? '']
      return (
        properties?.[name] ??
        [target, ...(anyOf ?? [])].flatMap((one) => (one ? find(one, name) : []))[0]
      )
    }
    const lists = Object.entries(METHODS).filter(([, method]) => /\.list/.test(method))
    assert.ok(lists.length > 10)
    for (const [operationId, method] of lists) {
      const operation = operations.find((one) => one.operationId === operationId)
      const { items } = operation?.responses['200']?.content['application/json'].schema ?? {}
      for (const { path } of LIST_COLUMNS[method] ?? assert.fail(method))
        assert.ok(path.split('.').reduce(find, items) !== undefined, `${method}: ${path}`)
    }
    assert.equal(Object.keys(LIST_COLUMNS).length, lists.length)
  })

  it('answer what a person looks for: status, customer, tool, name, reason, age, ID', async () => {
    const { stdout } = await c.run(['accounts', 'list'], { columns: 120 })
    const [header = '', row = ''] = stdout.split('\n')
    assert.match(header, /^status +customer +tool +name +age +id$/)
    assert.match(
      row,
      new RegExp(`^active +customer-1 +desk +Support desk +\\d+[sm] +${accountId}$`),
    )
    const attempts = await c.run(['attempts', 'list'], { columns: 120 })
    assert.equal(attempts.exitCode, 0, attempts.stderr)
    assert.match(attempts.stdout, /^outcome +code +customer +tool +age/)
    assert.match(attempts.stdout, /\nfailed +credentials_rejected +customer-1 +desk +\d+[sm] /)
  })

  it('keep the status and the whole ID on a narrow terminal', async () => {
    const { stdout } = await c.run(['accounts', 'list'], { columns: 50 })
    assert.match(stdout, /^status .* id\n/)
    assert.ok(stdout.includes(accountId))
    assert.ok(
      stdout.split('\n').every((line) => line.length <= 50),
      stdout,
    )
  })

  it('do not change JSON', async () => {
    const json = await c.run(['accounts', 'list', '--json'], { columns: 40 })
    assert.deepEqual(await c.run(['accounts', 'list']), json)
    assert.equal(JSON.parse(json.stdout).integrationAccountId, accountId)
  })

  it('show what failed at whom when a token cannot list definitions', () => {
    const items = [
      {
        status: 'error',
        integrationDefinitionId: 'def_1',
        createdAt: 'x',
        integrationAccountId: 'acc_1',
      },
    ]
    const columns = LIST_COLUMNS['accounts.list']
    const text = formatTable(items, { columns, width: 80, isBold: false, now: 0 })
    assert.match(text, /^status +tool +age +id\nerror +def_1 .*acc_1\n$/)
  })

  it('have ages in the largest fitting unit', () => {
    const now = Date.parse('2026-11-27T12:00:00.000Z')
    for (const [time, age] of [
      ['2026-11-27T12:00:05.000Z', '0s'],
      ['2026-11-27T11:59:18.000Z', '42s'],
      ['2026-11-27T11:00:01.000Z', '59m'],
      ['2026-11-26T12:00:00.000Z', '24h'],
      ['2026-11-25T11:59:00.000Z', '2d'],
    ] as const) {
      const column = { title: 'age', path: 'at', kind: 'age' } as const
      const options = { columns: [column], width: 80, isBold: false, now }
      assert.equal(formatTable([{ at: time }], options), `age\n${age}\n`)
    }
  })

  it('end each check of an OAuth app with a sentence of its own, uncut', async () => {
    const { stdout, exitCode } = await c.run(['oauth-apps', 'test', c.t.appId], { columns: 60 })
    assert.equal(exitCode, 0)
    const { body } = await c.t.call('POST', `/v1/integration_oauth/${c.t.appId}/test`)
    for (const { name, message } of body.checks)
      assert.match(stdout, new RegExp(`\\n  [✓!✗?] ${name}: ${RegExp.escape(message)}\\n`))
    assert.doesNotMatch(stdout, /[{}…]/)
  })

  it('show objects inside objects below their names', () => {
    const checks = ['ok', 'warning', 'failed', 'unknown'].map((status) => ({
      name: 'a',
      status,
      message: 'b',
    }))
    const text = formatRecord({
      id: 'x',
      scopes: ['a', 'b'],
      none: [],
      checks,
      nested: { one: 1, list: [{ k: 'v', w: 2 }] },
    })
    assert.equal(
      text,
      `id      x
scopes  a, b
none
checks
  ✓ a: b
  ! a: b
  ✗ a: b
  ? a: b
nested
  one   1
  list
    - k  v
      w  2
`,
    )
  })
})
