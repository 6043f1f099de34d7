import { parseArgs, styleText } from 'node:util'
import { buildExampleBundles } from './build.ts'
import { createBundleRoutes } from './bundle-routes.ts'
import { createProvider } from './provider/provider.ts'
import { createApiCaller } from './tour/api-caller.ts'
import { clickThrough } from './tour/auto-browser.ts'
import { UnexpectedResult } from './tour/expect-that.ts'
import { runOAuthSteps } from './tour/oauth-steps.ts'
import { openReturnPage } from './tour/return-page.ts'
import { startServer } from './tour/start-server.ts'

// `npm run oauth-tour`: connects an account with OAuth in your browser, on a temporary server.
// With `-- --auto` it presses the buttons itself.
const { values } = parseArgs({ options: { auto: { type: 'boolean', default: false } } })
const stop = new AbortController()
// Not once: npm forwards Ctrl-C, which the terminal has already sent.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort())
const print = (line: string) => console.log(line)

/** Longer than the lifetimes of the one-time page and of the confirmation together. */
const RETURN_TIMEOUT_MS = 20 * 60_000

try {
  await tour(stop.signal)
  print('\nThat was a complete connection. Everything has stopped and its data is deleted.')
} catch (error) {
  const reason = stop.signal.aborted ? 'It was interrupted.' : (error as Error).message
  console.error(`\nThe tour stopped: ${reason}`)
  process.exitCode = 1
}

async function tour(signal: AbortSignal): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const provider = createProvider({ routes: createBundleRoutes(await buildExampleBundles()) })
  resources.defer(() => provider.close())
  const providerUrl = await provider.listen()
  const { host } = new URL(providerUrl)
  print(`Provider and bundles: ${providerUrl}`)
  const returnPage = await openReturnPage()
  resources.defer(() => returnPage.close())
  print(`The product's page that you return to: ${returnPage.url}`)
  const server = await startServer({ egressAllow: host, signal })
  resources.defer(() => server.stop())
  print(`Linchpin: ${server.url}, LINCHPIN_EGRESS_ALLOW=${host}`)
  print(`API is ${server.url}/api/v1; each call carries "Authorization: Bearer $TOKEN".`)
  const { url, token } = server
  const call = createApiCaller({ url, token, print, signal })
  const waiting = AbortSignal.any([signal, AbortSignal.timeout(RETURN_TIMEOUT_MS)])
  const send = values.auto ? createAutoBrowser(waiting) : askPerson
  await runOAuthSteps(call, { providerUrl, returnPage, send, signal: waiting }).catch((error) => {
    throw waiting.aborted && !signal.aborted
      ? new UnexpectedResult('The browser did not return in time.')
      : error
  })
}

function createAutoBrowser(signal: AbortSignal) {
  return (url: string) => clickThrough(url, print, signal)
}

async function askPerson(url: string): Promise<void> {
  print(`\n   Open this in your browser:\n\n   ${styleText('bold', url)}\n`)
  print('   The tour continues when you return. Press Ctrl-C to stop it.')
}
