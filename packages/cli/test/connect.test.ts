import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createVisitor,
  pressStart,
} from '../../server/src/connect/connect-page/test/test-visitor.ts'
import { type CliTestContext, runCli, startCliTestContext } from './cli-test-context.ts'

describe('linchpin connect', { timeout: 60_000 }, () => {
  let c: CliTestContext
  let definitionId: string
  before(async () => {
    c = await startCliTestContext()
    definitionId = (await c.t.createDefinition({ name: 'Desk' })).integrationDefinitionId
  })
  after(() => c.close())

  const findSession = async () => {
    for (;;) {
      const { body } = await c.t.call('GET', '/v1/connect_session')
      const session = body.find(({ status }: { status: string }) => status === 'created')
      if (session !== undefined) return session.connectSessionId
      await sleep(20)
    }
  }

  /** Connects on the page of a session. A busy machine may refuse a check: the person presses the button again. */
  const submitForm = async (url: string) => {
    const visitor = createVisitor(c.baseUrl)
    const pressed = await pressStart(visitor, url)
    const form = await visitor.get(pressed.location ?? '')
    const values = { 'field.api_key': 'key_that_works', 'field.base_url': c.t.stubServer.url }
    while ((await visitor.submit(form, values)).status >= 400) await sleep(200)
  }

  it('opens the page of a session for the customer, and revokes it on Ctrl-C', async () => {
    const interrupted = new AbortController()
    const opened: string[] = []
    const args = ['connect', 'desk', '--account-identifier', 'customer-1']
    const running = c.run(args, {
      env: { HOME: c.folder, LINCHPIN_URL: c.baseUrl, LINCHPIN_TOKEN: c.t.token },
      signal: interrupted.signal,
      openUrl: (url) => void opened.push(url),
    })
    const sessionId = await findSession()
    const path = `/v1/connect_session/${sessionId}`
    const { body: session } = await c.t.call('GET', path)
    assert.deepEqual(
      [session.accountIdentifier, session.integrationDefinitionIds],
      ['customer-1', [definitionId]],
    )
    while (opened.length === 0) await sleep(20)
    assert.match(opened[0] ?? '', /\/connect\/cnt_/)
    interrupted.abort()
    const { exitCode, stdout, stderr } = await running
    assert.deepEqual([exitCode, stdout], [130, ''])
    assert.match(stderr, /revoked/)
    assert.equal((await c.t.call('GET', path)).body.status, 'revoked')
  })

  it('prints the account that the person connects', async () => {
    const running = c.run(['connect', 'desk'], {
      env: { HOME: c.folder, LINCHPIN_URL: c.baseUrl, LINCHPIN_TOKEN: c.t.token },
      openUrl: (url) => void submitForm(url),
    })
    const { exitCode, stdout, stderr } = await running
    assert.equal(exitCode, 0, stderr)
    const account = JSON.parse(stdout)
    assert.deepEqual([account.status, account.accountIdentifier], ['active', 'cli'])
    assert.ok(!`${stdout}${stderr}`.includes('key_that_works'))
  })

  it('says that a session was revoked elsewhere; opens no browser with --no-open', async () => {
    const opened: string[] = []
    const running = c.run(['connect', 'desk', '--no-open'], {
      env: { HOME: c.folder, LINCHPIN_URL: c.baseUrl, LINCHPIN_TOKEN: c.t.token },
      openUrl: (url) => void opened.push(url),
    })
    await c.t.call('DELETE', `/v1/connect_session/${await findSession()}`)
    const { exitCode, stderr } = await running
    assert.deepEqual([exitCode, opened], [1, []])
    assert.match(stderr, /Nothing was connected: the session is revoked\./)
  })

  it('needs a definition or an account, and not both', async () => {
    const both = ['connect', 'desk', '--integration-account-id', 'acc_1']
    for (const args of [['connect'], both]) assert.equal((await c.run(args)).exitCode, 2)
    assert.equal((await c.run(['connect', 'unknown'])).exitCode, 1)
  })
})

describe('linchpin completion', () => {
  const complete = async (typed: string): Promise<string[]> => {
    const { stdout } = await runCli(['completion', 'bash'], {})
    const words = `(linchpin ${typed})`
    const script = `${stdout}\nCOMP_WORDS=${words}; COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _linchpin; printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n')
  }

  it('completes groups, commands and options in a real bash', async () => {
    assert.deepEqual(await complete('acc'), ['accounts'])
    assert.ok((await complete("accounts ''")).includes('list'))
    assert.deepEqual(await complete('accounts li'), ['list', 'list-history', 'list-tools'])
    assert.deepEqual(await complete('connect --no'), ['--no-open'])
    assert.ok((await complete('accounts list --sta')).includes('--status'))
    assert.ok((await complete('accounts get acc_1 --pro')).includes('--profile'))
  })

  it('knows bash and zsh', async () => {
    assert.match((await runCli(['completion', 'zsh'], {})).stdout, /^autoload -U \+X bashcompinit/)
    assert.equal((await runCli(['completion', 'fish'], {})).exitCode, 2)
  })
})
