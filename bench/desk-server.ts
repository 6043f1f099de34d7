import { buildExampleBundles } from '../examples/build.ts'
import { createBundleRoutes } from '../examples/bundle-routes.ts'
import { createProvider } from '../examples/provider/provider.ts'

// The provider of the examples, and the bundles that call it.
process.once('message', async () => {
  const provider = createProvider({ routes: createBundleRoutes(await buildExampleBundles()) })
  process.send?.(await provider.listen())
})
