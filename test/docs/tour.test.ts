import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { buildExampleBundles } from '../../examples/build.ts'
import { createBundleRoutes } from '../../examples/bundle-routes.ts'
import { createProvider } from '../../examples/provider/provider.ts'
import { type StartedServer, startServer } from '../../examples/tour/start-server.ts'

/** A shell block of the tour and the output that the tour promises for it. */
interface TourStep {
  readonly command: string
  readonly lines: readonly string[]
}

const STEP_MARKER = '--- next block ---'

describe('docs/tour.md', () => {
  let folder: string
  let server: StartedServer | undefined
  let provider: ReturnType<typeof createProvider>
  let steps: readonly TourStep[]
  before(async () => {
    provider = createProvider({ routes: createBundleRoutes(await buildExampleBundles()) })
    const { host } = new URL(await provider.listen())
    server = await startServer({ egressAllow: host, signal: AbortSignal.timeout(60_000) })
    await warmUp(server, `http://${host}/bundles/acme-desk/index.js`)
    folder = await mkdtemp(path.join(tmpdir(), 'linchpin-readme-'))
    await mkdir(path.join(folder, 'data'))
    await writeFile(path.join(folder, 'data', 'owner-token'), `${server.token}\n`)
    const readme = await readFile(new URL('../../docs/tour.md', import.meta.url), 'utf8')
    steps = parseSteps(
      readme.replaceAll('http://127.0.0.1:3000', server.url).replaceAll('127.0.0.1:4010', host),
    )
  })
  after(async () => {
    await server?.stop()
    await provider.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('prints the output that it shows, block by block', async (t) => {
    if (spawnSync('curl', ['--version']).error !== undefined) {
      t.diagnostic('curl not found: the tour is skipped')
      assert.notEqual(process.env.CI, 'true', 'curl not found, and CI=true requires it')
      return
    }
    assert.ok(steps.length >= 7, `${steps.length} blocks were found`)
    const script = steps.map(({ command }) => command).join(`\necho "${STEP_MARKER}"\n`)
    const { stdout, stderr } = await promisify(execFile)(
      'bash',
      ['--norc', '--noprofile', '-eu', '-c', script],
      {
        cwd: folder,
      },
    )
    assert.equal(stderr, '')
    const outputs = stdout.split(`${STEP_MARKER}\n`)
    for (const [index, { command, lines }] of steps.entries()) {
      const actualLines = (outputs[index] ?? '').split('\n').filter((line) => line !== '')
      assert.equal(actualLines.length, lines.length, `${command}\n${actualLines.join('\n')}`)
      for (const [at, line] of lines.entries()) assert.match(actualLines[at] ?? '', toPattern(line))
    }
  })
})

/** Creates and deletes a definition: on a busy machine, the first call of a bundle after a start may be 503 `overloaded`. */
async function warmUp({ url, token }: StartedServer, sourceUrl: string): Promise<void> {
  const definitions = `${url}/api/v1/integration_definition`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'Warm-up', sourceUrl, integrationType: 'TICKETING' })
  for (let attempt = 0; attempt < 30; attempt++) {
    const response = await fetch(definitions, { method: 'POST', headers, body })
    const { integrationDefinitionId } = (await response.json()) as Record<string, string>
    if (response.status === 201) {
      const { authorization } = headers
      const path = `${definitions}/${integrationDefinitionId}`
      await fetch(path, { method: 'DELETE', headers: { authorization } })
      return
    }
    await setTimeout(Number(response.headers.get('retry-after') ?? 1) * 1_000)
  }
}

/** Parses the shell blocks of terminal 3, each with the text block that follows it. */
function parseSteps(readme: string): TourStep[] {
  const section = readme.split('**Terminal 3**')[1]?.split(/\n###? /)[0] ?? ''
  return [...section.matchAll(/```sh\n([^`]*)```(?:\s*```text\n([^`]*)```)?/g)].map((match) => ({
    command: match[1]?.trim() ?? '',
    lines: (match[2] ?? '').split('\n').filter((line) => line !== ''),
  }))
}

/** A pattern for a shown line: `…` matches any text. */
function toPattern(line: string): RegExp {
  const parts = line.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`)
}
