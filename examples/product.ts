import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Linchpin } from '@linchpin/sdk'
import { buildPages } from './product/build-pages.ts'
import { createProduct } from './product/server/product.ts'
import { setUp } from './product/set-up.ts'
import { findFreePort, startServer } from './tour/start-server.ts'

// `npm run product -- --port 4020`: runs the example product beside a temporary Linchpin until Ctrl-C.
const { values } = parseArgs({ options: { port: { type: 'string', default: '4020' } } })
const stop = new AbortController()
// Not once: npm forwards Ctrl-C, which the terminal has already sent.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort())

const folder = await mkdtemp(join(tmpdir(), 'linchpin-product-'))
try {
  await buildPages(folder)
  await run(Number(values.port) || (await findFreePort()), folder, stop.signal)
} catch (error) {
  if (!stop.signal.aborted) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    const isPortInUse = code === 'EADDRINUSE' && syscall === 'listen'
    console.error(
      isPortInUse
        ? `Port ${values.port} is in use. Choose another one: npm run product -- --port 4021`
        : `The product stopped: ${message}`,
    )
    process.exitCode = 1
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function run(port: number, pagesFolder: string, signal: AbortSignal): Promise<void> {
  const local = await startServer({ egressAllow: `webhook=127.0.0.1:${port}`, signal })
  try {
    const linchpinUrl = local.url.replace('127.0.0.1', 'localhost')
    const settings = await setUp(new Linchpin({ baseUrl: linchpinUrl, token: local.token }), {
      productUrl: `http://localhost:${port}`,
      webhookUrl: `http://127.0.0.1:${port}/webhook`,
    })
    const product = await createProduct({ linchpinUrl, pagesFolder, ...settings })
    await once(product.listen(port, '127.0.0.1'), 'listening')
    console.log(renderWelcome(port, linchpinUrl, local.tokenFile))
    if (!signal.aborted) await once(signal, 'abort')
    product.close()
    product.closeAllConnections()
  } finally {
    await local.stop()
  }
  console.log('Everything has stopped, and its data is deleted.')
}

function renderWelcome(port: number, linchpinUrl: string, tokenFile: string): string {
  return `Open http://localhost:${port}

Sign in as a customer, and connect Acme Sandbox:
  good     a key that works
  bad      a key that is rejected
  slow     a key that takes 5 s to check
  flaky    a key that works every other time
Or sign in: the tool is part of Linchpin, and its people are made up.

Linchpin       ${linchpinUrl}
API reference  ${linchpinUrl}/docs
Owner's token  ${tokenFile}

Press Ctrl-C to stop. The data is temporary.`
}
