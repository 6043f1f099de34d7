import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  generateSigningSecret,
  parseSigningSecret,
  signDelivery,
} from '../../../packages/server/src/activity/webhooks/endpoint-secrets.ts'
import { hasChromium, startChromium } from '../../../packages/server/test/browser/chromium.ts'
import { packClient } from '../pack-client.ts'
import { packSdk } from '../pack-sdk.ts'
import { createProject, type Project } from './create-project.ts'

const REACT = ['react@19.2.0', 'react-dom@19.2.0']

const VITE_APP = `
import { createRoot } from 'react-dom/client'
import { useLink } from '@linchpin/client/react'

function Connect() {
  const { open, ready } = useLink({ baseURL: 'https://connect.example.com', token: 'cnt_1' })
  return <button disabled={!ready} onClick={open}>Connect a tool</button>
}
createRoot(document.getElementById('root')!).render(<Connect />)
`

const VITE_PAGE = `<!doctype html><title>Product</title><div id="root"></div>
<script type="module" src="/main.tsx"></script>`

describe('A Vite and React application with the packed client', () => {
  let project: Project
  before(() => {
    project = createProject(['vite@8.3.8', '@vitejs/plugin-react@6.3.0', ...REACT])
    const tarball = packClient(path.join(project.folder, 'packed'))
    project.run('npm', ['install', '--ignore-scripts', '--loglevel=error', tarball])
    project.write('main.tsx', VITE_APP)
    project.write('index.html', VITE_PAGE)
    project.write(
      'vite.config.ts',
      "import react from '@vitejs/plugin-react'\nexport default { plugins: [react()] }\n",
    )
  })
  after(() => project.remove())

  it('builds, and opens the connect page in Chromium', async () => {
    assert.ok(hasChromium(), 'Chromium is installed')
    project.run(process.execPath, ['node_modules/vite/bin/vite.js', 'build'])
    const args = [
      'node_modules/vite/bin/vite.js',
      'preview',
      '--port',
      '0',
      '--strictPort',
      'false',
    ]
    const server = spawn(process.execPath, args, { cwd: project.folder })
    const browser = await startChromium()
    try {
      const page = await browser.newPage()
      const errors: Error[] = []
      page.on('pageerror', (error) => errors.push(error))
      await page.goto(await findUrl(server.stdout))
      await page.getByRole('button', { name: 'Connect a tool' }).click()
      const frame = page.locator('iframe.linchpin-frame[src^="https://connect.example.com/"]')
      await frame.waitFor({ state: 'attached', timeout: 10_000 })
      assert.deepEqual(errors, [])
    } finally {
      await browser.close()
      server.kill()
    }
  })
})

const ROUTE = `
import { webhookHandler } from '@linchpin/sdk/webhooks'

export const POST = webhookHandler({
  keys: process.env.WEBHOOK_SECRET ?? 'whsec_AAAA',
  on: { 'account.needs_reauth': (event) => console.log('handled', event.subject) },
})
`

describe('A Next.js route handler with the packed SDK', () => {
  let project: Project
  const secret = generateSigningSecret('v1')
  before(() => {
    const types = ['typescript@5.9.3', '@types/react@19.2.2', '@types/node@24.10.1']
    project = createProject(['next@16.4.6', ...REACT, ...types])
    const tarball = packSdk(path.join(project.folder, 'packed'))
    project.run('npm', ['install', '--ignore-scripts', '--loglevel=error', tarball])
    mkdirSync(path.join(project.folder, 'app/webhook'), { recursive: true })
    project.write('app/webhook/route.ts', ROUTE)
    project.write('app/page.tsx', 'export default function Page() { return <p>Product</p> }\n')
    project.write(
      'app/layout.tsx',
      'export default ({ children }: { children: React.ReactNode }) => <html><body>{children}</body></html>\n',
    )
  })
  after(() => project.remove())

  const env = { NEXT_TELEMETRY_DISABLED: '1', WEBHOOK_SECRET: secret }
  const next = 'node_modules/next/dist/bin/next'

  it('has the type that Next.js requires of it, and handles a webhook', async () => {
    assert.match(project.run(process.execPath, [next, 'build'], env), /\/webhook/)
    const server = spawn(process.execPath, [next, 'start', '-p', '0'], {
      cwd: project.folder,
      env: { ...process.env, ...env },
    })
    try {
      const url = `${await findUrl(server.stdout)}/webhook`
      const body = '{"id":"evt_1","type":"account.needs_reauth","subject":"acc_1"}'
      const timestamp = Math.floor(Date.now() / 1_000)
      const keys = [parseSigningSecret(secret)]
      const headers = signDelivery({ messageId: 'evt_1', timestamp, body, keys })
      const send = (text: string) => fetch(url, { method: 'POST', headers, body: text })
      assert.equal((await send(body)).status, 204)
      assert.equal((await send('{}')).status, 401)
    } finally {
      server.kill()
      await once(server, 'exit')
    }
  })

  it('is refused by Next.js with another type', () => {
    project.write(
      'app/webhook/route.ts',
      `${ROUTE}\nexport const GET = (request: number) => request\n`,
    )
    assert.throws(() => project.run(process.execPath, [next, 'build'], env), /GET/)
  })
})

/** The address that a server prints. */
async function findUrl(output: NodeJS.ReadableStream): Promise<string> {
  let printed = ''
  for await (const chunk of output) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the output is colored
    printed += String(chunk).replaceAll(/\u001b\[\d*m/g, '')
    const [url] = /http:\/\/localhost:\d+/.exec(printed) ?? []
    if (url !== undefined) return url
  }
  throw new Error(printed)
}
