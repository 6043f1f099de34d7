import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Linchpin } from '@linchpin/sdk'
import { type StartedServer, startServer } from '../../examples/tour/start-server.ts'
import { hasChromium } from '../../packages/server/test/browser/chromium.ts'
import {
  describeBrowser,
  launchBrowser,
  startSession,
} from '../../packages/server/test/browser/launch-browser.ts'

const FOLDER = new URL('../../docs/', import.meta.url)
const TEXT = readFileSync(new URL('quickstart.md', FOLDER), 'utf8')

/** A code block, and the file that the text before it links to. */
interface Block {
  readonly file: string
  readonly code: string
}

describe('docs/quickstart.md', () => {
  it('consists of the code of examples/product', () => {
    const blocks = listBlocks()
    assert.ok(blocks.length >= 9, `${blocks.length} blocks were found`)
    const different = blocks.filter(
      ({ file, code }) => !trimLines(readFileSync(new URL(file, FOLDER), 'utf8')).includes(code),
    )
    assert.deepEqual(different, [])
  })

  it('reaches the data of a connected customer in ten lines', () => {
    const lines =
      listBlocks()[0]
        ?.code.split('\n')
        .filter((line) => line !== '') ?? []
    assert.ok(lines.length >= 5 && lines.length <= 10, `${lines.length} lines`)
    assert.match(lines.join('\n'), /\.fetch\('\/tickets'\)/)
  })

  it('names only scripts that exist', () => {
    const { scripts } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as { scripts: Record<string, string> }
    const named = [...TEXT.matchAll(/npm (?:run )?(start|(?<=run )[\w:]+)/g)].map(
      ([, name]) => name,
    )
    assert.ok(named.length >= 2)
    assert.deepEqual(
      named.filter((name) => !Object.hasOwn(scripts, name ?? '')),
      [],
    )
  })
})

describeBrowser('examples/product/first-account.mjs', () => {
  let server: StartedServer | undefined
  before(async () => {
    if (!hasChromium()) return
    server = await startServer({ egressAllow: '', signal: AbortSignal.timeout(60_000) })
    // On a busy machine, the first call of a bundle after a start may be 503 `overloaded`. The client retries it.
    await new Linchpin({ baseUrl: server.url, token: server.token, maxRetries: 20 }).accounts.check(
      {
        integrationDefinitionId: 'acme_sandbox',
        authType: 'Api Key',
        config: { api_key: 'good' },
      },
    )
  })
  after(async () => {
    await server?.stop()
  })

  it('prints the tickets once a person has connected the tool', async () => {
    const program = spawn(process.execPath, [PROGRAM], {
      env: { LINCHPIN_URL: server?.url, LINCHPIN_TOKEN: server?.token },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    program.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const exited = once(program, 'exit')
    await once(program.stdout, 'data')
    const { page, context } = await startSession(await launchBrowser())
    await page.goto(/^Open (http\S+)$/m.exec(output)?.[1] ?? output)
    await page.getByRole('link', { name: 'Use an API key' }).click()
    await page.getByLabel('API key', { exact: true }).fill('good')
    await page.locator('form button[type="submit"]').click()
    assert.deepEqual(await exited, [0, null])
    assert.match(output, /title: 'Printer on fire'/)
    await context.close()
  })
})

const PROGRAM = fileURLToPath(new URL('../examples/product/first-account.mjs', FOLDER))

function listBlocks(): Block[] {
  const parts = TEXT.matchAll(
    /\]\((\.\.\/examples\/product\/[^)]+)\)|^```(?:js|tsx?)\n(.*?)^```$/gms,
  )
  let file = ''
  const blocks: Block[] = []
  for (const [, link, code] of parts) {
    file = link ?? file
    if (code !== undefined) blocks.push({ file, code: trimLines(code).trim() })
  }
  return blocks
}

/** Without indentation: the document shows the bodies of functions. */
function trimLines(text: string): string {
  return text.replaceAll(/^ +/gm, '')
}
