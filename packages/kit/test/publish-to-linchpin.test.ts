import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { startServer } from '../../../examples/tour/start-server.ts'
import { main } from '../src/cli/main.ts'
import { PLACEHOLDERS } from '../src/lint/placeholders.ts'
import { createApiClient } from './support/api-client.ts'

it('linchpin-kit publish creates a definition without a web server, then upgrades it, and refuses mistakes', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kit-publish-'))
  const server = await startServer({ egressAllow: '', signal: t.signal })
  t.after(async () => {
    await server.stop()
    await rm(folder, { recursive: true })
  })
  const env: Record<string, string> = {}
  const run = async (...args: string[]) => {
    const lines: string[] = []
    const print = (text: string) => void lines.push(text)
    const code = await main(args, { print, printError: print }, env)
    return { code, text: lines.join('\n') }
  }
  const newArgs = ['--name', 'Acme Desk', '--base-url', 'https://api.acme.example']
  assert.equal((await run('new', folder, ...newArgs)).code, 0)
  const file = join(folder, 'acme_desk.ts')
  const publish = () => run('publish', file, '--url', server.url)
  const edit = async (from: string, to: string) =>
    writeFile(file, (await readFile(file, 'utf8')).replace(from, to))

  assert.deepEqual(
    [(await publish()).code, (await publish()).text.includes('LINCHPIN_TOKEN')],
    [2, true],
  )
  env.LINCHPIN_TOKEN = server.token
  const unsent = await publish()
  assert.deepEqual([unsent.code, /not sent.*--token/.test(unsent.text)], [2, true])
  env.LINCHPIN_URL = server.url
  const unfinished = await publish()
  assert.deepEqual([unfinished.code, unfinished.text.split('\n').length], [1, 3], unfinished.text)
  assert.match(unfinished.text, /acme_desk\.ts: docs is the placeholder "https:.*": write the URL/)
  await edit(PLACEHOLDERS.docs, 'https://acme.example/auth')
  await edit(PLACEHOLDERS.help, 'Under Settings, API.')
  await edit(PLACEHOLDERS.hint, 'The token must be allowed to read.')
  assert.match((await publish()).text, /^Created Acme Desk 1\.0\.0: def_/)
  assert.match((await publish()).text, /is published already/)
  await edit("docs: 'https://acme.example/auth'", "docs: 'https://acme.example/docs'")
  await edit("version: '1.0.0'", "version: '1.1.0'")
  assert.match((await publish()).text, /^Upgraded Acme Desk from 1\.0\.0 to 1\.1\.0: def_/)
  const found = await createApiClient(server)('GET', 'integration_definition/acme_desk')
  assert.match(String(found.sourceUrl), /^ni:\/\/\/sha-256;/)
  await edit('version:', 'versoin: 1,\n  version:')
  const refused = await publish()
  assert.deepEqual([refused.code, /Did you mean version\?/.test(refused.text)], [1, true])
  assert.ok(!refused.text.includes(server.token))
})
