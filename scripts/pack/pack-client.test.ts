import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { build } from 'esbuild'
import { lintTarball } from './lint-tarball.ts'
import { listNodes } from './old-node.ts'
import { packClient } from './pack-client.ts'
import { ROOT } from './pack-package.ts'

const APP = `import { openLink, type LinkHandle } from '@linchpin/client'
import { useLink } from '@linchpin/client/react'

export function open(linkId: string): LinkHandle {
  return openLink({
    baseURL: 'https://connect.example.com',
    linkId,
    onSuccess: (account) => console.log(account.integrationAccountId.length),
  })
}

export function Connect({ linkId }: { linkId: string | null }) {
  const { open, ready } = useLink({ baseURL: 'https://connect.example.com', linkId })
  return <button disabled={!ready} onClick={open}>Connect</button>
}
`

describe('The packed client, in an application with only React installed', () => {
  let appDir: string
  let tarball: string
  before(() => {
    appDir = mkdtempSync(path.join(tmpdir(), 'pack-client-'))
    const installed = path.join(appDir, 'node_modules/@linchpin/client')
    mkdirSync(installed, { recursive: true })
    tarball = packClient(path.join(appDir, 'packed'))
    run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
    for (const name of ['react', '@types/react', 'csstype', '@types/prop-types', 'loose-envify'])
      cpSync(path.join(ROOT, 'node_modules', name), path.join(appDir, 'node_modules', name), {
        recursive: true,
      })
    writeFileSync(path.join(appDir, 'package.json'), JSON.stringify({ type: 'module' }))
    writeFileSync(path.join(appDir, 'app.tsx'), APP)
  })
  after(() => rmSync(appDir, { recursive: true }))

  function run(program: string, args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: appDir, encoding: 'utf8' })
    assert.equal(status, 0, `${program} ${args.join(' ')}: ${stdout}${stderr}`)
    return stdout
  }

  for (const [module, moduleResolution] of [
    ['esnext', 'bundler'],
    ['nodenext', 'nodenext'],
  ])
    it(`has types that pass strict checks with ${moduleResolution} and reject invalid calls`, () => {
      const compilerOptions = {
        strict: true,
        noEmit: true,
        module,
        moduleResolution,
        target: 'es2022',
        lib: ['es2022', 'dom'],
        jsx: 'react-jsx',
        types: [],
        skipLibCheck: false,
      }
      const config = { compilerOptions, files: ['app.tsx'] }
      writeFileSync(path.join(appDir, 'tsconfig.json'), JSON.stringify(config))
      const tsc = path.join(ROOT, 'node_modules/.bin/tsc')
      run(tsc, ['-p', '.'])
      writeFileSync(path.join(appDir, 'wrong.tsx'), APP.replace('.length', '.nothing'))
      const wrong = { ...config, files: ['wrong.tsx'] }
      writeFileSync(path.join(appDir, 'wrong.json'), JSON.stringify(wrong))
      const { status, stdout } = spawnSync(tsc, ['-p', 'wrong.json'], {
        cwd: appDir,
        encoding: 'utf8',
      })
      assert.notEqual(status, 0)
      assert.match(stdout, /'nothing' does not exist on type 'string'/)
    })

  it('has no problems for publint and Are The Types Wrong', async () => {
    assert.deepEqual(await lintTarball(tarball), [])
  })

  it('is bundled without configuration, and opens nothing during server rendering', async () => {
    const outfile = path.join(appDir, 'app.mjs')
    await build({
      entryPoints: [path.join(appDir, 'app.tsx')],
      outfile,
      bundle: true,
      format: 'esm',
      jsx: 'automatic',
      external: ['react', 'react/jsx-runtime'],
      logLevel: 'silent',
    })
    assert.match(readFileSync(outfile, 'utf8'), /createElement\("iframe"\)|"iframe"/)
    for (const { program } of listNodes())
      run(program, ['-e', "import('@linchpin/client').then(() => import('./app.mjs'))"])
  })
})
