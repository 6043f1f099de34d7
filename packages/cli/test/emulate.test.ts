import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runCli } from './cli-test-context.ts'

describe('linchpin emulate', () => {
  /** Runs it until something has happened with its address. */
  const emulate = async (args: readonly string[], use: (origin: string) => Promise<void>) => {
    const interrupted = new AbortController()
    const running = runCli(['emulate', ...args, '--port', '0', '--json'], {
      signal: interrupted.signal,
      now: Date.now,
      onStdout: (text) => {
        use(JSON.parse(text).origin).finally(() => interrupted.abort())
      },
    })
    return running
  }

  it('serves integrations until it is interrupted', async () => {
    let login = ''
    const result = await emulate(['github', 'slack'], async (origin) => {
      const response = await fetch(`${origin}/github/user`, {
        headers: { authorization: 'Bearer x' },
      })
      login = ((await response.json()) as { login: string }).login
    })
    assert.deepEqual([result.exitCode, result.stderr, login], [0, '', 'octocat'])
    assert.deepEqual(JSON.parse(result.stdout).keys, ['github', 'slack'])
  })

  const wrong: [args: readonly string[], message: RegExp][] = [
    [[], /Name integrations, such as github slack, or use --all\./],
    [['github', '--all'], /or use --all/],
    [['githab'], /There is no integration githab\. Did you mean github\?/],
    [['github', '--port', '99999'], /--port is a number/],
    [['github', '--consent', 'maybe'], /--consent is one of ask, allow, deny, partial\./],
  ]
  for (const [args, message] of wrong)
    it(`ends with 2 for ${JSON.stringify(args)}`, async () => {
      const { exitCode, stderr } = await runCli(['emulate', ...args], {})
      assert.equal(exitCode, 2)
      assert.match(stderr, message)
    })
})
