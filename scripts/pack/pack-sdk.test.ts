import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import {
  listOperations,
  type OpenApiDocument,
} from '../../packages/server/src/app/observability/api-reference/openapi-document.ts'
import { createSamples } from '../../packages/server/src/app/observability/api-reference/render-operation.ts'
import { startStubServer } from '../../packages/server/test/stub-server.ts'
import { testApp } from '../../packages/server/test/test-app.ts'
import { lintTarball } from './lint-tarball.ts'
import { listNodes } from './old-node.ts'
import { ROOT } from './pack-package.ts'
import { packSdk } from './pack-sdk.ts'

const README = path.join(ROOT, 'packages/sdk/README.md')

/** What the examples of the README use without declaring it. */
const SURROUNDINGS = `
declare const LINCHPIN_URL: string
declare const LINCHPIN_TOKEN: string
declare const WEBHOOK_SECRET: string
declare const accountId: string
declare const body: string
declare const headers: Headers
declare function isLast(sequence: number): boolean
`

const PROGRAM = `
import { isLinchpinError, Linchpin } from '@linchpin/sdk'
import { verifyWebhook, WebhookVerificationError } from '@linchpin/sdk/webhooks'

const linchpin = new Linchpin({ baseUrl: process.argv[2], token: 'lp_test' })
for await (const account of linchpin.accounts.list()) console.log(account.integrationAccountId)
await linchpin.links.get('lnk_1').catch((error) => console.log(isLinchpinError(error, 'link_not_found')))
const response = await linchpin.account('acc_1').fetch('/tickets')
console.log(await response.text())
await verifyWebhook('', {}, 'whsec_AA==').catch((error) => console.log(error instanceof WebhookVerificationError))
`

describe('The packed SDK, in an empty project', () => {
  let appDir: string
  let tarball: string
  before(async () => {
    appDir = mkdtempSync(path.join(tmpdir(), 'pack-sdk-'))
    const installed = path.join(appDir, 'node_modules/@linchpin/sdk')
    mkdirSync(installed, { recursive: true })
    tarball = packSdk(path.join(appDir, 'packed'))
    run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
    writeFileSync(path.join(appDir, 'package.json'), JSON.stringify({ type: 'module' }))
    cpSync(
      path.join(ROOT, 'packages/sdk/test/misuses.fixtures.ts'),
      path.join(appDir, 'misuses.ts'),
    )
    for (const [index, block] of listBlocks().entries())
      writeFileSync(path.join(appDir, `readme-${index}.ts`), block)
    writeFileSync(path.join(appDir, 'program.mjs'), PROGRAM)
    writeFileSync(path.join(appDir, 'samples.ts'), await createSampleModule())
  })
  after(() => rmSync(appDir, { recursive: true }))

  function run(program: string, args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: appDir, encoding: 'utf8' })
    assert.equal(status, 0, `${program} ${args.join(' ')}: ${stdout}${stderr}`)
    return stdout
  }

  for (const [module, moduleResolution] of [
    ['esnext', 'bundler'],
    ['node16', 'node16'],
  ])
    it(`has types that accept the README and the samples of the API reference and reject 60 misuses in strict mode, with ${moduleResolution}`, () => {
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        module,
        moduleResolution,
        target: 'es2022',
        lib: ['es2022', 'dom'],
        types: [],
        skipLibCheck: false,
      }
      const files = ['misuses.ts', 'samples.ts', ...listBlockFiles(isOwn)]
      writeFileSync(path.join(appDir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
      run(path.join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'])
      const misuses = readFileSync(path.join(appDir, 'misuses.ts'), 'utf8')
      assert.ok(misuses.split('@ts-expect-error').length > 60)
    })

  it('has no problems for publint and Are The Types Wrong', async () => {
    assert.deepEqual(await lintTarball(tarball), [])
  })

  it('has types that the clients of vendors accept', () => {
    for (const name of VENDORS) {
      const link = path.join(appDir, 'node_modules', name)
      mkdirSync(path.dirname(link), { recursive: true })
      symlinkSync(path.join(ROOT, 'node_modules', name), link)
    }
    const files = listBlockFiles((block) => !isOwn(block))
    assert.ok(files.length >= 4)
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2022',
      types: ['node'],
      skipLibCheck: true,
      typeRoots: [path.join(ROOT, 'node_modules/@types')],
    }
    writeFileSync(path.join(appDir, 'vendors.json'), JSON.stringify({ compilerOptions, files }))
    run(path.join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'vendors.json'])
  })

  for (const { program: node, title } of listNodes())
    it(`runs as JavaScript on ${title}`, async () => {
      const server = await startStubServer()
      server.serve('/api/v1/integration_account', (_request, response) =>
        response.end('[{"integrationAccountId":"acc_1"}]'),
      )
      server.serve('/api/v1/link/lnk_1', (_request, response) =>
        response.writeHead(404).end('{"error":"link_not_found","message":"There is none."}'),
      )
      server.serve('/api/v1/integration_account/acc_1/proxy/tickets', (_request, response) =>
        response.writeHead(200, { 'linchpin-proxy': 'provider' }).end('pong'),
      )
      const child = spawn(node, ['program.mjs', server.url], { cwd: appDir })
      const printed = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
      const [stdout, stderr] = await printed
      await server.close()
      assert.equal(stdout, 'acc_1\ntrue\npong\ntrue\n', stderr)
    })

  it('has no dependencies and no links to files that it lacks', () => {
    const installed = path.join(appDir, 'node_modules/@linchpin/sdk')
    const read = (name: string) => readFileSync(path.join(installed, name), 'utf8')
    const manifest = JSON.parse(read('package.json'))
    assert.equal(manifest.dependencies, undefined)
    assert.deepEqual(Object.keys(manifest.exports), ['.', './webhooks'])
    for (const [, file = ''] of read('README.md').matchAll(/\]\((\.[^)#]*)/g))
      assert.ok(existsSync(path.join(installed, file)), file)
  })
})

const VENDORS = [
  ...['@notionhq/client', '@octokit/rest', '@slack/web-api', 'google-auth-library', 'stripe'],
]

/** Whether a block imports nothing but this package. */
const isOwn = (block: string) => !VENDORS.some((name) => block.includes(`from '${name}'`))

function listBlockFiles(isWanted: (block: string) => boolean): string[] {
  return listBlocks().flatMap((block, index) => (isWanted(block) ? [`readme-${index}.ts`] : []))
}

/** The TypeScript samples of the API reference. */
async function createSampleModule(): Promise<string> {
  const t = await testApp()
  const document = t.app.swagger() as unknown as OpenApiDocument
  await t.close()
  const samples = document.tags
    .flatMap(({ name }) => listOperations(document, name))
    .map((entry) => createSamples(document, entry).typescript)
    .filter((sample) => sample !== undefined)
  assert.ok(samples.length > 60)
  const linchpin = "import { Linchpin } from '@linchpin/sdk'\ndeclare const linchpin: Linchpin\n"
  return `${linchpin}${samples.map((sample) => `{\n${sample}\n}`).join('\n')}\nexport {}\n`
}

/** The TypeScript blocks of the README as modules; all but the first use its `linchpin`. */
function listBlocks(): string[] {
  const blocks = [...readFileSync(README, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)]
  assert.ok(blocks.length >= 8)
  return blocks.map(([, code = '']) => {
    const declaresIt = /const linchpin = /.test(code)
    const imports = declaresIt ? '' : "import { Linchpin } from '@linchpin/sdk'\n"
    const linchpin = declaresIt ? '' : 'declare const linchpin: Linchpin\n'
    return `${imports}${code}${SURROUNDINGS}${linchpin}export {}\n`
  })
}
