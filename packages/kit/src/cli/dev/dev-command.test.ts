import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startLocalServer } from '../../test/local-server.ts'
import { type RunningCli, runCli, startCli } from '../test/run-cli.ts'

describe('linchpin-kit dev', () => {
  const example = fileURLToPath(new URL('../../../examples/github.ts', import.meta.url))

  let folder: string
  let running: RunningCli | undefined
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kit-dev-'))
  })
  after(async () => {
    await running?.stop()
    await rm(folder, { recursive: true })
  })

  it('linchpin-kit dev: serves the bundle, the new one after a change, and the last working one after an error', async () => {
    const file = join(folder, 'github.ts')
    await cp(example, file)
    running = startCli('dev', file, '--port', '0')
    const [, url = ''] = await running.waitForOutput(/Serving (\S+)/)
    await running.waitForOutput(/To see its form: LINCHPIN_EGRESS_ALLOW=127\.0\.0\.1:\d+ npm start/)
    await running.waitForOutput(/Built/)
    const served = async () => (await fetch(url)).text()
    assert.match(await served(), /version:"1\.0\.0"/)
    const source = await readFile(file, 'utf8')
    await writeFile(file, source.replace("version: '1.0.0'", "version: '2'"))
    await running.waitForOutput(/(?:Built[\s\S]*){2}/)
    await running.waitForOutput(/version "2" must be three numbers/)
    assert.match(await served(), /version:"2"/)
    await writeFile(file, 'export default {')
    await running.waitForOutput(/github\.ts:1:16: ERROR/)
    assert.match(await served(), /version:"2"/)
    assert.equal((await fetch(new URL('/other', url))).status, 404)
    assert.equal(await running.stop(), 0)
    running = undefined
  })

  it('linchpin-kit dev: rebuilds when a file changes that the integration imports from another folder', async (t) => {
    const folderPath = await mkdtemp(join(tmpdir(), 'kit-dev-far-'))
    t.after(() => rm(folderPath, { recursive: true }))
    const file = join(folderPath, 'mine', 'github.ts')
    const shared = join(folderPath, 'shared', 'version.ts')
    await Promise.all([mkdir(join(folderPath, 'mine')), mkdir(join(folderPath, 'shared'))])
    await writeFile(shared, "export const version = '1.0.0'\n")
    const source = (await readFile(example, 'utf8')).replace("version: '1.0.0'", 'version')
    await writeFile(file, `import { version } from '../shared/version.ts'\n${source}`)
    const dev = startCli('dev', file, '--port', '0')
    t.after(() => dev.stop())
    const [, url = ''] = await dev.waitForOutput(/Serving (\S+)/)
    await dev.waitForOutput(/Built/)
    // Editors save by replacing the file.
    await writeFile(`${shared}~`, "export const version = '1.0.1'\n")
    await rename(`${shared}~`, shared)
    await dev.waitForOutput(/(?:Built[\s\S]*){2}/)
    assert.match(await (await fetch(url)).text(), /"1\.0\.1"/)
  })

  it('linchpin-kit dev: reports errors in the command line', async () => {
    assert.equal((await runCli('dev')).code, 2)
    for (const port of ['x', '1.5', '', '70000'])
      assert.equal((await runCli('dev', example, '--port', port)).code, 2, port)
    assert.equal((await runCli('dev', example, example)).code, 2)
    const flags = ['--linchpin', 'http://localhost:3000', '--token', join(folder, 'unknown')]
    assert.match(
      (await runCli('dev', example, ...flags)).err,
      /--token is neither a token nor a readable file/,
    )
  })

  it('linchpin-kit dev: exits when there is nothing to serve, or no free port', async (t) => {
    const missingFile = await runCli('dev', join(folder, 'nowhere', 'gone.ts'), '--port', '0')
    assert.deepEqual([missingFile.code, /gone\.ts does not exist/.test(missingFile.err)], [1, true])
    const other = await startLocalServer(() => {})
    t.after(() => other.close())
    const { port } = new URL(other.origin)
    const secondRun = await runCli('dev', example, '--port', port)
    assert.deepEqual([secondRun.code, /Port \d+ is already in use/.test(secondRun.err)], [1, true])
  })
})
