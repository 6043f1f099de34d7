import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import fastify, { type FastifyInstance } from 'fastify'
import { PACKAGES_FOLDER, packageRoutes } from './assets.ts'

describe('GET /sdk.tgz', { timeout: 120_000 }, () => {
  let app: FastifyInstance
  let folder: string
  let url: string
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'packages-'))
    app = fastify()
    await app.register(packageRoutes(PACKAGES_FOLDER))
    url = await app.listen({ port: 0, host: '127.0.0.1' })
  })
  after(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
  })

  it('200: is a tarball with an ETag, and 304 for the same', async () => {
    for (const name of ['sdk', 'client', 'cli']) {
      const response = await app.inject({ url: `/${name}.tgz` })
      assert.equal(response.statusCode, 200, name)
      assert.equal(response.headers['content-type'], 'application/gzip')
      assert.deepEqual(response.rawPayload, readFileSync(new URL(`${name}.tgz`, PACKAGES_FOLDER)))
      const headers = { 'if-none-match': String(response.headers.etag) }
      assert.equal((await app.inject({ url: `/${name}.tgz`, headers })).statusCode, 304)
    }
  })

  it('is what npm install takes: the packages work in an empty project', () => {
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
    const run = (program: string, args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
      assert.equal(status, 0, `${stdout}${stderr}`)
      return stdout
    }
    // In its own process, since this one serves them.
    const server = `${url}/`
    assert.ok(server.startsWith('http://127.0.0.1:'))
    const program = "import('@linchpin/sdk').then(({ Linchpin }) => console.log(typeof Linchpin))"
    for (const name of ['sdk', 'cli']) {
      const file = path.join(folder, `${name}.tgz`)
      writeFileSync(file, readFileSync(new URL(`${name}.tgz`, PACKAGES_FOLDER)))
      run('npm', ['install', '--no-audit', '--no-fund', '--offline', file])
    }
    assert.equal(run(process.execPath, ['-e', program]), 'function\n')
    assert.match(run('npx', ['--no-install', 'linchpin', '--version']), /^\d+\.\d+\.\d+\n$/)
  })

  it('does not exist where it was not built', async () => {
    const empty = fastify()
    await empty.register(packageRoutes(pathToFileURL(`${folder}/none/`)))
    assert.equal((await empty.inject({ url: '/kit.tgz' })).statusCode, 404)
    await empty.close()
  })
})
