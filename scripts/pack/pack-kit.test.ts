import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { PLACEHOLDERS } from '../../packages/kit/src/lint/placeholders.ts'
import { lintTarball } from './lint-tarball.ts'
import { findOldNode } from './old-node.ts'
import { packKit } from './pack-kit.ts'

const root = path.resolve(import.meta.dirname, '../..')

describe('The packed kit, in a folder with only its dependencies installed', () => {
  let folder: string
  let appDir: string
  let tarball: string
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'pack-kit-'))
    appDir = path.join(folder, 'home')
    tarball = packKit(path.join(folder, 'packed'))
    const installed = path.join(appDir, 'node_modules/@linchpin/kit')
    mkdirSync(installed, { recursive: true })
    run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
    const { dependencies } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'))
    for (const name of Object.keys(dependencies)) install(name)
    const appManifest = { name: 'mine', type: 'module' }
    writeFileSync(path.join(appDir, 'package.json'), JSON.stringify(appManifest))
  })
  after(() => rmSync(folder, { recursive: true }))

  function install(name: string): void {
    const target = path.join(appDir, 'node_modules', name)
    mkdirSync(path.dirname(target), { recursive: true })
    const locked = path.join(root, 'node_modules', name)
    // Its binary is in a platform package, which is resolved from the real path.
    if (name === 'esbuild') return void symlinkSync(locked, target)
    cpSync(locked, target, { recursive: true })
    const { dependencies = {} } = JSON.parse(
      readFileSync(path.join(locked, 'package.json'), 'utf8'),
    )
    for (const each of Object.keys(dependencies))
      if (!existsSync(path.join(appDir, 'node_modules', each))) install(each)
  }

  function run(program: string, args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: appDir, encoding: 'utf8' })
    assert.equal(status, 0, `${program} ${args.join(' ')}: ${stdout}${stderr}`)
    return stdout
  }

  const runPackedKit = (...args: string[]) =>
    run(process.execPath, ['node_modules/@linchpin/kit/bin/linchpin-kit.mjs', ...args])

  it('says on Node 20 which Node it needs', (t) => {
    const node = findOldNode()
    if (node === undefined) return t.diagnostic('No older Node is installed')
    const program = 'node_modules/@linchpin/kit/bin/linchpin-kit.mjs'
    const { status, stderr } = spawnSync(node, [program, '--help'], {
      cwd: appDir,
      encoding: 'utf8',
    })
    assert.deepEqual([status, /needs Node 24\.15 or later; this is v20/.test(stderr)], [78, true])
  })

  it('creates an integration whose test passes in the sandbox, and builds the same bytes as a clone', () => {
    const newArgs = ['--name', 'Acme', '--base-url', 'https://api.acme.example', '--auth', 'oauth2']
    runPackedKit('new', '.', ...newArgs)
    const { docs, help, hint, path: placeholderPath } = PLACEHOLDERS
    for (const name of readdirSync(appDir).filter((each) => each.startsWith('acme.'))) {
      const written = readFileSync(path.join(appDir, name), 'utf8')
        .replaceAll(docs, 'https://docs.acme.example/authentication')
        .replaceAll(help, 'In the settings of Acme, under API.')
        .replaceAll(hint, 'Allow it to read tickets.')
        .replaceAll(placeholderPath, '/oauth/')
      writeFileSync(path.join(appDir, name), written)
    }
    assert.match(runPackedKit('check', 'acme.ts'), /no problems found/)
    assert.match(runPackedKit('test', 'acme.ts'), /✓ OAuth2: signs in[\s\S]*all tests passed\n$/)
    runPackedKit('build', 'acme.ts', '--out', 'packed.cjs')
    const bin = path.join(root, 'packages/kit/bin/linchpin-kit.mjs')
    run(process.execPath, [bin, 'build', 'acme.ts', '--out', 'cloned.cjs'])
    const bytes = (name: string) => readFileSync(path.join(appDir, name), 'utf8')
    assert.equal(bytes('packed.cjs'), bytes('cloned.cjs'))
    const spec = run(process.execPath, [
      '-p',
      "require('./packed.cjs').main('SPEC').then(console.log), ''",
    ])
    assert.match(spec, /auth_specification/)
  })

  it('has no problems for publint and Are The Types Wrong', async () => {
    assert.deepEqual(await lintTarball(tarball), [])
  })

  it('has types that pass strict checks without the types of Node', () => {
    const examples = path.join(root, 'packages/kit/examples')
    cpSync(examples, path.join(appDir, 'examples'), { recursive: true })
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2023', 'dom'],
      types: [],
      skipLibCheck: false,
    }
    const config = { compilerOptions, include: ['examples'] }
    writeFileSync(path.join(appDir, 'tsconfig.json'), JSON.stringify(config))
    run(path.join(root, 'node_modules/.bin/tsc'), ['-p', '.'])
  })
})
