import { buildExampleBundles } from './build.ts'
import { createBundleRoutes } from './bundle-routes.ts'
import { createProvider } from './provider/provider.ts'
import { createApiCaller } from './tour/api-caller.ts'
import { runTour } from './tour/run-tour.ts'
import { startServer } from './tour/start-server.ts'

// `npm run tour`: runs docs/tour.md on a temporary server.
const stop = new AbortController()
// Not once: npm forwards Ctrl-C, which the terminal has already sent.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort())

try {
  await tour((line) => console.log(line), stop.signal)
} catch (error) {
  const reason = stop.signal.aborted ? 'It was interrupted.' : (error as Error).message
  console.error(`\nThe tour stopped: ${reason}`)
  process.exitCode = 1
}

async function tour(print: (line: string) => void, signal: AbortSignal): Promise<void> {
  const provider = createProvider({ routes: createBundleRoutes(await buildExampleBundles()) })
  try {
    const providerUrl = await provider.listen()
    const { host } = new URL(providerUrl)
    print(`Provider and bundles: ${providerUrl}`)
    const server = await startServer({ egressAllow: host, signal })
    try {
      print(`Linchpin: ${server.url}, LINCHPIN_EGRESS_ALLOW=${host}`)
      print(`API is ${server.url}/api/v1; each call carries "Authorization: Bearer $TOKEN".`)
      await runTour(
        createApiCaller({ url: server.url, token: server.token, print, signal }),
        providerUrl,
      )
    } catch (error) {
      // Report the first error, whatever happens while stopping.
      await server.stop().catch(() => {})
      throw error
    }
    await server.stop()
  } finally {
    await provider.close()
  }
  print('\nThat was the tour. The server has stopped and its data is deleted.')
}
