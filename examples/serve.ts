import { parseArgs } from 'node:util'
import { buildExampleBundles } from './build.ts'
import { createBundleRoutes } from './bundle-routes.ts'
import { BOOKS_CLIENT } from './provider/books.ts'
import { createProvider } from './provider/provider.ts'

// `npm run examples -- --port 4010`: serves the example bundles and their provider until Ctrl-C.
const { values } = parseArgs({ options: { port: { type: 'string', default: '4010' } } })
const provider = createProvider({
  routes: createBundleRoutes(await buildExampleBundles()),
  log: (line) => console.log(line),
})

try {
  await provider.listen(Number(values.port), '127.0.0.1')
  console.log(renderWelcome(provider.url))
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  console.error(
    code === 'EADDRINUSE'
      ? `Port ${values.port} is in use. Choose another one: npm run examples -- --port ${Number(values.port) + 1}`
      : `The examples cannot listen on port ${values.port}: ${message}`,
  )
  process.exit(1)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => provider.close())
}

function renderWelcome(url: string): string {
  return `The examples listen on ${url}

Bundles (use one as sourceUrl)
  ${url}/bundles/acme-desk/index.js     an issue tracker; auth type "Api Key"
  ${url}/bundles/acme-books/index.js    accounting; auth types "OAuth2" and "Api Key"

Keys of Acme Desk (config: { "api_key": "…", "base_url": "${url}" })
  desk_live_1       accepted, as is any desk_live_…
  desk_revoked_1    rejected
  desk_busy         429, retry later
  desk_down         503
  desk_slow         accepted after 20 s

Keys of Acme Books (config: { "api_key": "…", "base_url": "${url}", "subdomain": "north", "region": "eu" })
  books_live_1      accepted, as is any books_live_…
  anything else     rejected

OAuth app of Acme Books: client id "${BOOKS_CLIENT.client_id}", secret "${BOOKS_CLIENT.client_secret}"

Start Linchpin with LINCHPIN_EGRESS_ALLOW=${new URL(url).host}, or it will refuse to call this address.
`
}
