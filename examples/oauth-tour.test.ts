import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildExampleBundles } from './build.ts'

const TOUR = fileURLToPath(new URL('./oauth-tour.ts', import.meta.url))

describe('npm run oauth-tour', () => {
  it('completes a connection by itself with --auto and exits 0', async () => {
    const { code, stdout, stderr } = await run(['--auto'])
    assert.equal(stderr, '')
    assert.equal(code, 0)
    for (const line of [
      /browser: "Connect Acme Books to North" → \[Connect Acme Books\]/,
      /browser: "Acme Books: allow access\?" → \[Allow\]/,
      /200 \{ integrationAccountId: "acc_\w+", .*authType: "OAuth2", status: "active"/,
      /browser: "Acme Books is connected"/,
      /200 \{ headers: \{.* Authorization: "Bearer access_\d+" \}/,
      /200 \{ id: "org_north", name: "Acme Books", subdomain: "north" \}/,
      /200 \{ .*integrationConfiguration: null, .*revocation: "revoked"/,
      /That was a complete connection\. Everything has stopped and its data is deleted\./,
    ])
      assert.match(stdout, line)
  })

  it('waits for a person, reports a denial and exits 1', async () => {
    const { code, stderr, stdout } = await run([], async (page) => {
      const { headers } = await fetch(page, {
        method: 'POST',
        headers: { origin: new URL(page).origin },
        redirect: 'manual',
      })
      const cookie = headers.getSetCookie().map((line) => line.split(';')[0])
      const body = new URLSearchParams({ decision: 'deny' })
      const denied = await fetch(headers.get('location') ?? '', {
        method: 'POST',
        body,
        redirect: 'manual',
      })
      const callback = denied.headers.get('location') ?? ''
      const end = await fetch(callback, { headers: { cookie: cookie.join('; ') } })
      assert.match(await end.text(), /<h1>Acme Books was not connected<\/h1>/)
    })
    assert.equal(code, 1)
    assert.match(stdout, /Open this in your browser/)
    assert.match(stderr, /The tour stopped: The person returned without a connection: \w+\./)
  })

  it('cleans up after Ctrl-C, reports the interruption and exits 1', async () => {
    const { code, stderr } = await run([], async (_page, interrupt) => interrupt())
    assert.equal(code, 1)
    assert.match(stderr, /The tour stopped: It was interrupted\./)
  })
})

/** Runs the tour to its end. @param onPage receives the URL of the one-time page once it was printed */
async function run(
  options: string[],
  onPage?: (page: string, interrupt: () => void) => Promise<void>,
) {
  await buildExampleBundles()
  const child = spawn(process.execPath, [TOUR, ...options], { signal: AbortSignal.timeout(60_000) })
  const exitCode = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve).once('error', reject)
  })
  let [stdout, stderr] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const pageUrl = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
      const page = /^ {3}(http:\/\/localhost:\d+\/oauth\/connect\/[\w-]{43})$/m.exec(stdout)?.[1]
      if (page !== undefined) resolve(page)
    })
  })
  try {
    if (onPage)
      await onPage(await Promise.race([pageUrl, throwOnExit(exitCode)]), () => child.kill('SIGINT'))
    return { code: await exitCode, stdout, stderr }
  } finally {
    child.kill('SIGTERM')
  }
}

async function throwOnExit(exitCode: Promise<number | null>): Promise<never> {
  throw new Error(`The tour exited before it printed its page, with code ${await exitCode}.`)
}
