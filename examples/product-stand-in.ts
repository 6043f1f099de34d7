import type { Linchpin } from '@linchpin/sdk'
import { buildExampleBundles } from './build.ts'
import { createProvider } from './provider/provider.ts'

/** Acme Desk under the name of the sandbox, for the example product. */
export interface StandIn {
  /** For `LINCHPIN_EGRESS_ALLOW`. */
  readonly host: string
  /** Creates its definition. */
  define(owner: Linchpin): Promise<void>
  close(): Promise<void>
}

/** Starts the provider of Acme Desk, with a bundle that calls it by default. */
export async function startStandIn(): Promise<StandIn> {
  const { desk } = await buildExampleBundles()
  let body = ''
  const headers = { 'Content-Type': 'text/javascript; charset=utf-8' }
  const handle = () => ({ status: 200, headers, body })
  const provider = createProvider({ routes: [{ method: 'GET', path: /^\/bundle\.js$/, handle }] })
  const url = await provider.listen()
  body = desk.code.replaceAll('https://desk.acme.example', url)
  return {
    host: new URL(url).host,
    async define(owner) {
      const integrationType = { key: 'TICKETING' }
      const sourceUrl = `${url}/bundle.js`
      await owner.definitions.create({ name: 'Acme Sandbox', sourceUrl, integrationType })
    },
    close: () => provider.close(),
  }
}
