import { buildExampleBundles } from '../examples/build.ts'
import { createBundleRoutes } from '../examples/bundle-routes.ts'
import { createProvider } from '../examples/provider/provider.ts'
import type { Route } from '../examples/provider/route.ts'

/** What the check of the catalogue's WooCommerce requests. */
const PRODUCTS: Route = {
  method: 'GET',
  path: /^\/wp-json\/wc\/v3\/products$/,
  handle: () => ({ status: 200, body: [] }),
}

// The provider of the examples, and the bundles that call it.
process.once('message', async () => {
  const routes = [...createBundleRoutes(await buildExampleBundles()), PRODUCTS]
  const provider = createProvider({ routes })
  process.send?.(await provider.listen())
})
