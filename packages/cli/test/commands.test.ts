import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { METHODS } from '../../sdk/test/methods.ts'
import { nameCommand, nameOption, toKebabCase } from '../src/api/operation-names.ts'
import { OPERATIONS } from '../src/api/operation-table.ts'
import { listCommands } from '../src/commands.ts'
import { GLOBAL_FLAGS, OWN_FLAG_NAMES } from '../src/own-flags.ts'
import { runCli } from './cli-test-context.ts'

describe('The commands', () => {
  it('include each operation of the API', () => {
    assert.deepEqual(
      OPERATIONS.map(({ method }) => method),
      Object.values(METHODS),
    )
    const names = new Set(listCommands().map(({ name }) => name))
    for (const operation of OPERATIONS) assert.ok(names.has(nameCommand(operation)))
    assert.equal(names.size, listCommands().length, 'each name is used once')
  })

  for (const command of listCommands())
    if ('flags' in command)
      it(`${command.name} --help has its usage, what it does, and every option with a description`, async () => {
        const { exitCode, stdout, stderr } = await runCli(
          [...command.name.split(' '), '--help'],
          {},
        )
        assert.deepEqual([exitCode, stderr], [0, ''])
        assert.match(stdout, new RegExp(`^Usage: linchpin ${command.name}( [<[][\\w-]+[>\\]])* `))
        assert.ok(stdout.includes(command.summary))
        for (const { name, description } of command.flags) {
          assert.match(stdout, new RegExp(`--${name}\\b.*  \\S`))
          assert.ok(description.length > 5, `${name} has no description`)
        }
        const flags = command.flags.map(({ name }) => name)
        assert.equal(new Set(flags).size, flags.length, 'each option is documented once')
      })

  for (const command of listCommands())
    if ('runRaw' in command)
      it(`${command.name} --help has its usage without a service`, async () => {
        const { exitCode, stdout } = await runCli([...command.name.split(' '), '--help'], {})
        assert.equal(exitCode, 0)
        assert.match(stdout, new RegExp(`^Usage: linchpin ${command.name}\\b`))
      })

  it('and groups are listed by --help, and a group by its name', async () => {
    const help = await runCli(['--help'], {})
    assert.match(help.stdout, /accounts +.*create, /)
    assert.deepEqual(await runCli(['help'], {}), help)
    const group = await runCli(['accounts', '--help'], {})
    assert.match(group.stdout, /accounts list-history +List/i)
    const usage = await runCli(['accounts'], {})
    assert.deepEqual([usage.exitCode, usage.stderr], [2, group.stdout])
    assert.match((await runCli(['--version'], {})).stdout, /^\d+\.\d+\.\d+\n$/)
  })

  it('have near names for typing errors, and exit with 2', async () => {
    for (const [args, expected] of [
      [['acounts', 'list'], /Did you mean accounts\?/],
      [['accounts', 'lst'], /Did you mean list\?/],
      [['accounts', 'list', '--stats', 'x'], /no option --stats\. Did you mean --status\?/],
      [['accounts', 'get'], /integrationAccountId is missing/],
      [['accounts', 'get', 'a', 'secret-value'], /an argument too many/],
      [['accounts', 'list', '--limit', 'many'], /--limit must be a whole number/],
      [['accounts', 'list', '--status'], /--status needs a value/],
    ] as const) {
      const { exitCode, stderr, stdout } = await runCli(args, {})
      assert.deepEqual([exitCode, stdout], [2, ''], args.join(' '))
      assert.match(stderr, expected)
      assert.doesNotMatch(stderr, /secret-value/)
    }
  })

  it('have no option with the name of a global one, and no field with a name of the command line', () => {
    assert.ok(
      ['url', 'token', 'profile', 'json', 'help', 'data', 'show-token', 'out'].every((name) =>
        OWN_FLAG_NAMES.has(name),
      ),
    )
    for (const command of listCommands())
      if ('flags' in command)
        for (const { name } of command.flags)
          assert.ok(!GLOBAL_FLAGS.some((flag) => flag.name === name), `${command.name} --${name}`)
    const fields = OPERATIONS.flatMap(({ method, fields }) =>
      fields.map((one) => ({ method, ...one })),
    )
    assert.ok(fields.length > 100)
    for (const { method, name, option } of fields) {
      assert.ok(!OWN_FLAG_NAMES.has(option), `${method}: ${name}`)
      assert.equal(option, nameOption({ method }, name))
    }
  })

  it('name a field of any operation differently from their own options', () => {
    for (const [group, resource] of [
      ['webhookEndpoints', 'endpoint'],
      ['oauthApps', 'app'],
      ['tokens', 'token'],
    ])
      for (const own of OWN_FLAG_NAMES)
        assert.equal(nameOption({ method: `${group}.create` }, own), `${resource}-${own}`)
    assert.equal(nameOption({ method: 'links.create' }, 'redirectURL'), 'redirect-url')
  })

  it('have options in kebab case', () => {
    for (const [name, option] of [
      ['redirectURL', 'redirect-url'],
      ['redirectURLs', 'redirect-urls'],
      ['integrationOAuthAppName', 'integration-oauth-app-name'],
      ['oauthApps', 'oauth-apps'],
    ] as const)
      assert.equal(toKebabCase(name), option)
  })
})
